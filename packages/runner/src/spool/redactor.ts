const SHORTEST = 8;
const SHOWN = '[redacted]';

/** Replaces known secret values, in the forms in which they commonly appear. */
export class Redactor {
  readonly #pattern: RegExp | null;

  constructor(secrets: Iterable<string>) {
    const forms = new Set<string>();
    for (const secret of secrets) {
      if (secret.length < SHORTEST) continue;
      for (const form of formsOf(secret)) forms.add(form);
    }
    // The longer form first: a part of it would leave the rest in sight.
    const sorted = [...forms].sort((a, b) => b.length - a.length);
    this.#pattern = sorted.length === 0 ? null : new RegExp(sorted.map(literally).join('|'), 'g');
  }

  redact(text: string): string {
    return this.#pattern === null ? text : text.replace(this.#pattern, SHOWN);
  }
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const ascii = escaped.replace(/[\u007f-\uffff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  const twice = JSON.stringify(escaped).slice(1, -1);
  return [
    secret,
    escaped,
    ascii,
    twice,
    encodeURIComponent(secret.toWellFormed()),
    ...base64Forms(secret),
  ];
}

/** What base64 makes of the secret wherever it stands in the encoded bytes: a group's place shifts by 0, 1 or 2. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor(((shift + bytes.length) * 8) / 6);
    const form = encoded.slice(from, to);
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
