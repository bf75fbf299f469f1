/** What a prompt holds besides text. */
export type Held = {
  /** Tokens on top of what its size allows. */
  readonly added: number;
  /** It names what is kept or to be fetched elsewhere, of any length. */
  readonly elsewhere: boolean;
  /** Something with a price of its own, in words. */
  readonly charged: string | null;
};

const NOTHING: Held = { added: 0, elsewhere: false, charged: null };

/** The dearest that a maker counts a picture as. */
const PICTURE = 16_384;

const PICTURES = new Set(['image', 'image_url', 'input_image', 'computer_screenshot']);
const ELSEWHERE = new Set(['document', 'file', 'input_file', 'item_reference', 'container_upload']);
const SOUNDS = new Set(['audio', 'input_audio', 'input_video', 'video_url']);
const WORDS = [...PICTURES, ...ELSEWHERE, ...SOUNDS].map((type) => Buffer.from(`"${type}"`));

const TYPE = Buffer.from('"type"');

/** A letter that is spelled by its number, so that the words above do not show. */
export const ESCAPED = Buffer.from('\\u00');
const LETTER = /[4-7]/;

/** Prompts of text alone, which most are, are not parsed. `escaped`: letters may be spelled by their numbers. */
export function heldIn(prompt: Buffer, escaped: boolean, parse: () => unknown): Held {
  const shows = prompt.includes(TYPE) && WORDS.some((word) => prompt.includes(word));
  if (!shows && !(escaped && hidesLetters(prompt))) return NOTHING;
  const value = parse();
  return value === undefined ? { ...NOTHING, elsewhere: true } : partsOf(value);
}

function hidesLetters(prompt: Buffer): boolean {
  for (let at = prompt.indexOf(ESCAPED); at >= 0; at = prompt.indexOf(ESCAPED, at + 1)) {
    if (LETTER.test(String.fromCharCode(prompt[at + ESCAPED.length] ?? 0))) return true;
  }
  return false;
}

/** Not by recursion: a prompt may be nested as deep as it is long. */
function partsOf(prompt: unknown): Held {
  let { added, elsewhere, charged } = NOTHING;
  const left: unknown[] = [prompt];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const type: unknown = Reflect.get(value, 'type');
    if (typeof type === 'string') {
      if (PICTURES.has(type)) added += PICTURE;
      if (ELSEWHERE.has(type) && !isInline(value)) elsewhere = true;
      if (SOUNDS.has(type)) charged = 'sound and video';
    }
    for (const inner of Object.values(value)) left.push(inner);
  }
  return { added, elsewhere, charged };
}

/** A document whose text stands in the request. */
function isInline(document: object): boolean {
  const source: unknown = Reflect.get(document, 'source');
  const type: unknown =
    typeof source === 'object' && source !== null ? Reflect.get(source, 'type') : null;
  return type === 'text' || type === 'content';
}
