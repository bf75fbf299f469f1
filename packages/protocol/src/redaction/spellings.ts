/** A line of a longer secret, as of a key in PEM, that is told apart from ordinary text. */
const SHORTEST_LINE = 16;

/** The forms in which a secret commonly appears in text. */
export function spellingsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE) : [];
  return [secret, ...parts].flatMap((text) => [
    text,
    ...jsonForms(text),
    encodeURIComponent(text.toWellFormed()),
    ...base64Forms(text),
    ...hexForms(text),
  ]);
}

/** Inside JSON, inside JSON that is itself a string of JSON, and in JSON of ASCII only. */
function jsonForms(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[\u007f-\uffff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return [escaped, ascii, JSON.stringify(escaped).slice(1, -1)];
}

/** What base64 makes of the text wherever it stands in the encoded bytes: a group's place shifts by 0, 1 or 2. */
function base64Forms(text: string): string[] {
  const bytes = bytesOf(text);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = btoa('\0'.repeat(shift) + bytes);
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor(((shift + bytes.length) * 8) / 6);
    const form = encoded.slice(from, to);
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function hexForms(text: string): string[] {
  const pairs = Array.from(bytesOf(text), (byte) =>
    byte.charCodeAt(0).toString(16).padStart(2, '0'),
  );
  const lower = ['', ' ', ':'].map((between) => pairs.join(between));
  return [...lower, ...lower.map((form) => form.toUpperCase())];
}

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text, each as one character. */
function bytesOf(text: string): string {
  let bytes = '';
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
