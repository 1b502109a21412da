"""Hiragana and katakana in Latin letters, for searching: はちぎり and ハチギリ as ``hachigiri``."""

from __future__ import annotations

KATAKANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
KANA = (
    "あいうえおかきくけこがぎぐげごさしすせそざじずぜぞたちつてとだぢづでどなにぬねの"
    "はひふへほばびぶべぼぱぴぷぺぽまみむめもやゆよらりるれろわをんぁぃぅぇぉ"
)
LATIN = (
    "a i u e o ka ki ku ke ko ga gi gu ge go sa shi su se so za ji zu ze zo ta chi tsu te to "
    "da ji zu de do na ni nu ne no ha hi fu he ho ba bi bu be bo pa pi pu pe po ma mi mu me mo "
    "ya yu yo ra ri ru re ro wa o n a i u e o"
)
SYLLABLES = dict(zip(KANA, LATIN.split(), strict=True))
GLIDES = {"ゃ": "ya", "ゅ": "yu", "ょ": "yo"}
HARD = ("sh", "ch", "j")
DOUBLED, LONG = "っ", "ー"


def romanized(text: str) -> str:
    """Text with its kana in Latin letters; long vowels are not marked, the rest stays as it is."""
    parts: list[str] = []
    doubled = False
    for sign in text.translate(KATAKANA):
        if sign == DOUBLED:
            doubled = True
        elif sign in GLIDES and parts and parts[-1].endswith("i"):
            stem, glide = parts[-1][:-1], GLIDES[sign]
            parts[-1] = stem + (glide[1:] if stem.endswith(HARD) else glide)
        elif sign != LONG:
            syllable = SYLLABLES.get(sign, sign)
            parts.append(syllable[0] + syllable if doubled else syllable)
            doubled = False
    return "".join(parts)
