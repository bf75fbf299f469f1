import { formatFor } from '@filepath/protocol';

/** Models that are no longer answered, from which day on, and who takes their place: their makers' own word. */
const RETIRED: readonly { model: string; from: string; successor: string }[] = [
  {
    model: 'anthropic/claude-sonnet-4',
    from: '2026-06-15',
    successor: 'anthropic/claude-sonnet-4.6',
  },
  { model: 'anthropic/claude-opus-4', from: '2026-06-15', successor: 'anthropic/claude-opus-4.8' },
  { model: 'openai/o3', from: '2026-12-11', successor: 'openai/gpt-5.6-sol' },
];

/** Who made a model, as far as its bare name says. */
export function makerOf(bare: string): 'anthropic' | 'openai' | null {
  if (bare.startsWith('claude-')) return 'anthropic';
  return formatFor(bare) === 'openai-responses' ? 'openai' : null;
}

/** `maker/name` as two parts. Without a maker the name is bare. */
export function splitName(model: string): { prefix: string | null; rest: string } {
  const at = model.indexOf('/');
  return at <= 0 || at === model.length - 1
    ? { prefix: null, rest: model }
    : { prefix: model.slice(0, at), rest: model.slice(at + 1) };
}

/**
 * The name by which prices are known: OpenRouter's, `maker/name` with versions like 4.5. `today` is an ISO date;
 * `known` helps with bare names whose maker they do not say.
 */
export function canonicalName(model: string, today: string, known: Iterable<string> = []): string {
  const name = spelledOut(model, known);
  return RETIRED.find((one) => one.model === name && one.from <= today)?.successor ?? name;
}

function spelledOut(model: string, known: Iterable<string>): string {
  const { prefix, rest } = splitName(model);
  if (prefix === 'openrouter' && rest.includes('/')) return spelledOut(rest, known);
  if (prefix === 'anthropic') return `anthropic/${dotted(rest)}`;
  if (prefix !== null) return model;
  const maker = makerOf(model);
  if (maker === 'anthropic') return `anthropic/${dotted(model)}`;
  if (maker === 'openai') return `openai/${model}`;
  const end = `/${model}`;
  for (const id of known) if (id.endsWith(end)) return id;
  return model;
}

/** Anthropic's `claude-sonnet-4-5-20250929` is `claude-sonnet-4.5` elsewhere. */
function dotted(name: string): string {
  return name
    .replace(/-(\d{8}|latest)(?=$|:)/, '')
    .replace(/-(\d{1,2})-(\d{1,2})(?=$|[-:])/, '-$1.$2')
    .replace(/\.0(?=$|[-:])/, '');
}

/** The same name as Anthropic's own API spells it. What was spelled so already stays. */
export function anthropicName(given: string, canonical: string): string {
  const name = splitName(canonical).rest;
  return dotted(given) === name ? given.replaceAll('.', '-') : name.replaceAll('.', '-');
}

/** Whether a name is one of a pattern's; `*` stands for any text. */
export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
