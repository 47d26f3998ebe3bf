"""Chained block hashes: the keys under which a prefix cache finds full blocks.

    h[i] = H(parent, tokens of block i, extra keys of block i)      parent = h[i-1], or the root hash

Only full blocks have a hash. Since each hash covers its parent, equal hashes mean equal prefixes, not
just equal blocks. Three schemes:

    lab          SHA-256 over length-prefixed bytes; the key also holds a model namespace
    sha256_cbor  SHA-256 over canonical CBOR          } the digests of vLLM 0.32.0, bit for bit
    sha256       SHA-256 over a pickle (protocol 5)   } (`hash_block_tokens` in `kv_cache_utils`)

Extra keys, in the engine's order: LoRA (every block), multimodal items (each block they overlap), the
cache salt (first block only; later blocks differ through the chain).
Does not model: xxhash forms, prompt embeddings, KV groups.
"""

from __future__ import annotations

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from hashlib import sha256

    Member = str | int
    Keys = tuple[tuple[Member, ...], ...]
    BlockHasher = Callable[[bytes, Sequence[int], "Keys | None"], bytes]

if not TYPE_CHECKING:
    # hashlib loads OpenSSL, which alone takes an eighth of `inference_lab.py all`. As the standard library's
    # own `random` does, take the interpreter's SHA-256 where it has one (3.12 and later; before).
    for _module in ("_sha2", "_sha256", "hashlib"):
        try:
            sha256 = __import__(_module).sha256
            break
        except ImportError:
            continue

SCHEMES = ("lab", "sha256_cbor", "sha256")
DEFAULT_SEED = "vllm-none-hash"
MAX_TOKEN_ID = 2**63 - 1  # what eight bytes hold in scheme lab


class ExtraKeys(Record):
    """What a request's keys cover beyond tokens.

    `lora` is (name, path); `mm` lists (identifier, offset, length) of items, in tokens of the prompt; an
    empty salt is no salt; the namespace enters the key in scheme `lab` only.
    """

    salt: str | None = None
    lora: tuple[str, str] | None = None
    mm: tuple[tuple[str, int, int], ...] = ()
    namespace: str = ""

    def of_block(self, start: int, end: int) -> Keys | None:
        """The extra keys of the block that holds tokens start to end - 1; None if it has none.

        >>> ExtraKeys(salt="s", mm=(("img", 3, 2),)).of_block(0, 4)
        (('mm', 'img', 3), ('cache_salt', 's'))
        >>> ExtraKeys(salt="s", mm=(("img", 3, 2),)).of_block(4, 8)
        (('mm', 'img', -1),)
        """
        keys: list[tuple[Member, ...]] = []
        if self.lora:
            keys.append(("lora", *self.lora))
        for identifier, offset, length in self.mm:
            if offset < end and offset + length > start:
                keys.append(("mm", identifier, offset - start))
        if self.salt and start == 0:
            keys.append(("cache_salt", self.salt))
        return tuple(keys) or None

    def of_blocks(self, num_blocks: int, block_size: int) -> list[Keys | None]:
        """`of_block` of each block, in order. Without items, all blocks but the first have the same keys."""
        if not self.mm:
            return [self.of_block(0, 1), *[self.of_block(1, 2)] * (num_blocks - 1)][:num_blocks]
        starts = range(0, num_blocks * block_size, block_size)
        return [self.of_block(start, start + block_size) for start in starts]


NO_EXTRA_KEYS = ExtraKeys()


def block_hashes(
    token_ids: Sequence[int],
    block_size: int,
    scheme: str = "lab",
    seed: str = DEFAULT_SEED,
    extra: ExtraKeys = NO_EXTRA_KEYS,
) -> list[bytes]:
    """The hash of each full block of a token list, in order.

    >>> a, b = block_hashes([1, 2, 3, 4, 5], 2), block_hashes([1, 2, 9, 4], 2)
    >>> len(a), a[0] == b[0], a[1] == b[1]
    (2, True, False)
    """
    require(block_size >= 1, "block_size", "at_least", block_size, least=1)
    num_blocks = len(token_ids) // block_size
    blocks_keys = extra.of_blocks(num_blocks, block_size)
    parent = root_hash(scheme, seed)
    if scheme == "sha256_cbor":
        try:
            return _cbor_chain(parent, token_ids, block_size, blocks_keys)
        except OverflowError:  # an id too large for it
            pass
    hash_block = block_hasher(scheme, extra.namespace)
    hashes = []
    for index, keys in enumerate(blocks_keys):
        parent = hash_block(parent, token_ids[index * block_size : (index + 1) * block_size], keys)
        hashes.append(parent)
    return hashes


def _cbor_chain(
    parent: bytes, token_ids: Sequence[int], block_size: int, blocks_keys: list[Keys | None]
) -> list[bytes]:
    """The digests that `block_hasher("sha256_cbor")` gives block after block, in a fifteenth of the time.

    The ids of all blocks are written at once, equal extra keys once. Raises OverflowError as `cbor_ids`
    does.
    """
    import hashlib  # a long chain repays loading OpenSSL, whose SHA-256 is the faster one

    from labs.engine.cbor_ids import cbor_ids

    sha256 = hashlib.sha256
    written = {keys: cbor(keys) for keys in set(blocks_keys)}
    start, head = _cbor_head(4, 3) + _cbor_head(2, len(parent)), _cbor_head(4, block_size)
    return [
        parent := sha256(start + parent + head + ids + written[keys]).digest()
        for ids, keys in zip(cbor_ids(token_ids, block_size), blocks_keys)
    ]


def root_hash(scheme: str, seed: str = DEFAULT_SEED) -> bytes:
    """The parent of every first block: the hash of the seed, a string (vLLM's NONE_HASH)."""
    encode = {"lab": _lab_member, "sha256_cbor": cbor, "sha256": _pickled}[scheme]
    return sha256(encode(seed)).digest()


def block_hasher(scheme: str, namespace: str = "") -> BlockHasher:
    """H of a scheme: (parent, tokens, extra keys) -> 32 bytes."""
    if scheme == "lab":
        return lambda parent, tokens, keys: sha256(_lab_bytes(namespace, parent, tokens, keys)).digest()
    if scheme == "sha256_cbor":
        return lambda parent, tokens, keys: sha256(cbor((parent, tuple(tokens), keys))).digest()
    return lambda parent, tokens, keys: sha256(_pickled((parent, tuple(tokens), _fresh(keys)))).digest()


def _lab_bytes(namespace: str, parent: bytes, tokens: Sequence[int], keys: Keys | None) -> bytes:
    """Every part with its length before it, so that no two inputs give the same bytes."""
    parts = [_lab_member(namespace), parent, len(tokens).to_bytes(8, "big")]
    parts += [token.to_bytes(8, "big") for token in tokens]
    for key in keys or ():
        parts.append(len(key).to_bytes(8, "big"))
        parts += [_lab_member(member) for member in key]
    return b"".join(parts)


def _lab_member(member: Member) -> bytes:
    data = member.encode() if isinstance(member, str) else member.to_bytes(8, "big", signed=True)
    tag = b"s" if isinstance(member, str) else b"i"
    return tag + len(data).to_bytes(8, "big") + data


def cbor(value: object) -> bytes:
    """Canonical CBOR (RFC 8949) of None, bytes, str, int and sequences of these.

    >>> cbor((b"", [23, 24, -1], None, "s")).hex()
    '84408317181820f66173'
    """
    if value is None:
        return b"\xf6"
    if isinstance(value, int):
        return _cbor_head(0, value) if value >= 0 else _cbor_head(1, -1 - value)
    if isinstance(value, bytes):
        return _cbor_head(2, len(value)) + value
    if isinstance(value, str):
        data = value.encode()
        return _cbor_head(3, len(data)) + data
    assert isinstance(value, (tuple, list))
    return _cbor_head(4, len(value)) + b"".join([cbor(member) for member in value])


def _cbor_head(major_type: int, argument: int) -> bytes:
    """Major type and the argument in the shortest of its five forms."""
    if argument < 24:
        return bytes([major_type << 5 | argument])
    code, length = next((24 + i, 1 << i) for i in range(4) if argument < 1 << (8 << i))
    return bytes([major_type << 5 | code]) + argument.to_bytes(length, "big")


def _pickled(value: object) -> bytes:
    import pickle

    return pickle.dumps(value, protocol=5)


def _fresh(keys: Keys | None) -> Keys | None:
    """The keys with strings that are separate objects.

    Pickle writes a string that it met before (the same object, not an equal one) as a reference, so
    equal keys could differ in bytes. An engine's strings come from separate messages; so do these. (Of a
    string of one Latin-1 character CPython keeps a single object, here as in the engine.)
    """

    def fresh(member: Member) -> Member:
        return member.encode().decode() if isinstance(member, str) else member

    return keys and tuple([(tag, *[fresh(member) for member in members]) for tag, *members in keys])
