"""Hiragana and katakana in Latin letters, for searching: はちぎり and ハチギリ as ``hachigiri``."""

from __future__ import annotations

_KATAKANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
_KANA = (
    "あいうえおかきくけこがぎぐげごさしすせそざじずぜぞたちつてとだぢづでどなにぬねの"
    "はひふへほばびぶべぼぱぴぷぺぽまみむめもやゆよらりるれろわをんぁぃぅぇぉ"
)
_LATIN = (
    "a i u e o ka ki ku ke ko ga gi gu ge go sa shi su se so za ji zu ze zo ta chi tsu te to "
    "da ji zu de do na ni nu ne no ha hi fu he ho ba bi bu be bo pa pi pu pe po ma mi mu me mo "
    "ya yu yo ra ri ru re ro wa o n a i u e o"
)
_SYLLABLES = dict(zip(_KANA, _LATIN.split(), strict=True))
_GLIDES = {"ゃ": "ya", "ゅ": "yu", "ょ": "yo"}
_HARD = ("sh", "ch", "j")
_DOUBLED, _LONG = "っ", "ー"


def romanized(text: str) -> str:
    """Text with its kana in Latin letters; long vowels are not marked, the rest stays as it is."""
    parts: list[str] = []
    doubled = False
    for sign in text.translate(_KATAKANA):
        if sign == _DOUBLED:
            doubled = True
        elif sign in _GLIDES and parts and parts[-1].endswith("i"):
            stem, glide = parts[-1][:-1], _GLIDES[sign]
            parts[-1] = stem + (glide[1:] if stem.endswith(_HARD) else glide)
        elif sign != _LONG:
            syllable = _SYLLABLES.get(sign, sign)
            parts.append(syllable[0] + syllable if doubled else syllable)
            doubled = False
    return "".join(parts)
