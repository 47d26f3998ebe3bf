"""What the page's script does: it uncovers steps and switches languages. It knows no rule of any lab.

    #round=3        uncovered up to round 3; `position`, `block` and `line` are the other labs' words
    &lang=zh        in Chinese
    right, left     one step on or back, in the lab that takes most of the window; Home and End: to the ends

Without a script everything is uncovered. What is printed is what is uncovered.
"""

# In the head: until the script at the end has covered the labs, none is shown.
COVER = """document.documentElement.classList.add("scripted");"""

SCRIPT = """
"use strict";
const labs = [...document.querySelectorAll("section[data-word]")];
const lastsOf = (lab) => lab.dataset.lasts.split(" ").filter(Boolean).map(Number);

function show(lab, wanted) {
  const count = lastsOf(lab).length;
  const at = Math.max(0, Math.min(count, wanted));
  lab.dataset.at = at;
  for (const part of lab.querySelectorAll("[data-step]")) {
    const step = Number(part.dataset.step);
    part.classList.toggle("covered", step > at);
    part.classList.toggle("next", step === at + 1);
  }
  for (const part of lab.querySelectorAll("[data-only]")) {
    part.hidden = Number(part.dataset.only) !== at;
  }
  lab.querySelector("input").value = at;
  lab.querySelector("[data-move='-1']").disabled = at === 0;
  lab.querySelector("[data-move='1']").disabled = at === count;
}

function speak(lang) {
  document.documentElement.lang = lang;
  for (const button of document.querySelectorAll("[data-lang]")) {
    button.setAttribute("aria-pressed", button.dataset.lang === lang);
  }
}

function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (["en", "zh"].includes(asked.get("lang"))) speak(asked.get("lang"));
  const first = labs.find((lab) => asked.has(lab.dataset.word));
  for (const lab of labs) {
    const number = asked.get(lab.dataset.word) ? Number(asked.get(lab.dataset.word)) : NaN;
    if (Number.isNaN(number)) continue;
    const before = lastsOf(lab).filter((last) => last < number).length;
    show(lab, number < Number(lab.dataset.first) ? 0 : before + 1);
    if (lab !== first) continue;
    if (lab !== labs[0]) lab.scrollIntoView({ behavior: "instant" });
    showNext(lab, "instant");
  }
}

function address() {
  const parts = labs.filter((lab) => Number(lab.dataset.at) > 0)
    .map((lab) => lab.dataset.word + "=" + lastsOf(lab)[lab.dataset.at - 1]);
  parts.push("lang=" + document.documentElement.lang);
  history.replaceState(null, "", "#" + parts.join("&"));
}

function showNext(lab, behavior) {
  const step = Math.min(Number(lab.dataset.at) + 1, lastsOf(lab).length);
  const cell = lab.querySelector(`td[data-step="${step}"]`);
  cell?.scrollIntoView({ block: "nearest", inline: "center", behavior });
}

function go(lab, at) {
  show(lab, at);
  showNext(lab, "auto");
  address();
}

function inSight() {
  const seen = (lab) => {
    const box = lab.getBoundingClientRect();
    return Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  };
  return labs.reduce((best, lab) => (seen(lab) > seen(best) ? lab : best));
}

for (const lab of labs) {
  show(lab, 0);
  lab.querySelector("input").addEventListener("input", (event) => go(lab, Number(event.target.value)));
  lab.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (button) go(lab, Number(lab.dataset.at) + Number(button.dataset.move));
    else if (event.target.closest(".next")) go(lab, Number(lab.dataset.at) + 1);
  });
}
for (const button of document.querySelectorAll("[data-lang]")) {
  button.addEventListener("click", () => {
    speak(button.dataset.lang);
    address();
  });
}
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.matches("input")) return; // the slider moves by itself
  const lab = inSight();
  const at = Number(lab.dataset.at);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: Infinity }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(lab, to);
});
addEventListener("hashchange", follow);
speak(document.documentElement.lang);
follow();
"""
