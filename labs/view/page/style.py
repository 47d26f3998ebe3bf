"""How the page looks: by colour and by letter both, in light and dark, on paper and on a narrow screen."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1c2024; --soft: #59616b; --line: #c9ced6; --panel: #f4f6f8;
  --prefill: #cfe3ff; --decode: #d3f0d6; --waiting: #eceff2; --preempted: #ffd6d1; --hit: #ffe9a8;
  --good: #14692b; --bad: #ad1f14; --key: #0b57b7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181c; --ink: #e8eaed; --soft: #a3abb5; --line: #434a53; --panel: #1e2329;
    --prefill: #1d4377; --decode: #1e5229; --waiting: #2a3038; --preempted: #772b24; --hit: #645010;
    --good: #7bd88f; --bad: #ff9c92; --key: #8fbcff;
  }
}
html[lang=en] [lang=zh]:not(button), html[lang=zh] [lang=en]:not(button) { display: none; }
body { margin: 0 auto; max-width: 72rem; padding: 0 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; padding: .75rem 0;
  border-bottom: 1px solid var(--line); }
header nav { display: flex; gap: .75rem; flex: 1; }
header .how, noscript { flex-basis: 100%; margin: 0; color: var(--soft); }
a { color: var(--key); }
h1 { margin: 2rem 0 .25rem; font-size: 1.5rem; }
h2 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
.setup { margin: 0 0 .75rem; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--soft); }
button { font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--line);
  border-radius: .4rem; padding: .2rem .7rem; cursor: pointer; }
button:disabled { opacity: .5; cursor: default; }
button[aria-pressed=true] { border-color: var(--key); color: var(--key); }
.controls { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .6rem;
  align-items: center; padding: .5rem 0; background: var(--paper); border-bottom: 1px solid var(--line); }
.controls input { flex: 1; min-width: 8rem; accent-color: var(--key); }
.controls output { min-width: 9rem; font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { border: 1px solid var(--line); padding: .15rem .5rem; text-align: center; min-width: 1.6rem;
  font-variant-numeric: tabular-nums; }
th { font-weight: 600; background: var(--panel); }
th.name { position: sticky; left: -1px; text-align: left; white-space: nowrap; max-width: 18rem;
  overflow: hidden; text-overflow: ellipsis; }
.prefill { background: var(--prefill); } .decode { background: var(--decode); }
.waiting { background: var(--waiting); color: var(--soft); } .preempted { background: var(--preempted); }
.hit { background: var(--hit); }
.ended:not(.covered) { border-right: 3px double var(--ink); }
td.rows { text-align: left; white-space: nowrap; }
.small { color: var(--soft); font-size: .875rem; font-weight: 400; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.key { color: var(--key); font-family: ui-monospace, monospace; font-size: .875rem; }
.chip { display: inline-block; min-width: 1.3rem; padding: 0 .3rem; margin: .1rem; text-align: center;
  border: 1px solid var(--line); border-radius: .25rem; background: var(--panel);
  font-variant-numeric: tabular-nums; }
.slot { display: inline-block; width: .8rem; height: .8rem; margin: .1rem; border: 1px solid var(--soft);
  border-radius: .15rem; vertical-align: middle; }
.slot.empty { border-style: dashed; }
.slot.prefill { background: var(--prefill); } .slot.decode { background: var(--decode); }
.chip.hit { background: var(--hit); }
.square { display: inline-block; min-width: 1.6rem; margin: .1rem; padding: 0 .3rem; text-align: center;
  border: 1px solid var(--line); background: var(--decode); font-size: .75rem; line-height: 1.3; }
.square b { display: block; max-width: 6rem; overflow: hidden; text-overflow: ellipsis; font-size: .875rem; }
.square.free { background: none; border-style: dashed; } .square.free b::before { content: "\\2013"; }
.more { color: var(--soft); margin: 0 .3rem; }
.bar { display: inline-flex; width: 10rem; height: .8rem; border: 1px solid var(--line);
  vertical-align: middle; }
.budget { display: flex; flex-direction: column-reverse; width: 1.6rem; height: 4rem; margin: auto;
  border: 1px solid var(--line); }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .9rem;
  margin: .75rem 0; }
.panel table th { background: none; }
pre { margin: .5rem 0; overflow-x: auto;
  font: .875rem/1.45 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre[lang=zh] { font-family: "Noto Sans Mono CJK SC", "Sarasa Mono SC", NSimSun, monospace; }
.chain { display: flex; align-items: stretch; }
.block { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .6rem; background: var(--panel);
  min-width: 7.5rem; text-align: center; }
.block.match { border: 2px solid var(--good); } .block.miss { border: 2px dashed var(--bad); }
.covered { position: relative; }
.covered > *, .covered { color: transparent !important; background-color: var(--waiting); }
.covered > * { visibility: hidden; }
.covered.next { cursor: pointer; outline: 2px solid var(--key); outline-offset: -2px; }
.covered.next::after { content: "?"; position: absolute; inset: 0; display: flex; align-items: center;
  justify-content: center; color: var(--key); font-weight: 700; visibility: visible; }
details.covered { display: none; }
section:not(:has(details.covered)) .end_covered { display: none; }
.end_covered { color: var(--soft); }
footer { margin-top: 2rem; color: var(--soft); font-size: .875rem; }
@media (max-width: 40rem) {
  th.name { max-width: 8rem; white-space: normal; }
  th.name .small { display: block; }
}
.scripted section:not([data-at]) { visibility: hidden; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --soft: #333; --line: #666; --panel: #fff;
    --prefill: #cfe3ff; --decode: #d3f0d6; --waiting: #f0f0f0; --preempted: #ffd6d1; --hit: #ffe9a8;
    --good: #000; --bad: #000; --key: #000; }
  body { max-width: none; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .controls, .languages, nav, .how { display: none !important; }
  .scroll { overflow: visible; } pre { white-space: pre-wrap; }
  section { break-before: page; } section:first-child { break-before: auto; }
  .panel, tr, .block { break-inside: avoid; }
}
"""
