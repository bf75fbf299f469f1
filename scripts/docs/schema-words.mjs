// JSON schemas in words.

const IDS = { th: 'thread id', ses: 'session id', run: 'run id', st: 'step id', rn: 'runner id' };

/** Says what a schema takes. `nameOf` gives the name of a schema that has a section of its own, or null. */
export function words(schema, nameOf) {
  const name = nameOf(schema);
  if (name !== null) return `[${name}](#${name.toLowerCase()})`;
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((choice) => words(choice, nameOf)).join(' or ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => words({ ...schema, type }, nameOf)).join(' or ');
  }
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
    case 'number':
      return number(schema);
    case 'array':
      if (schema.prefixItems) {
        return `[${schema.prefixItems.map((item) => words(item, nameOf)).join('; ')}]`;
      }
      return `list of ${words(schema.items ?? {}, nameOf)}${size(schema.minItems, schema.maxItems)}`;
    case 'object':
      return object(schema, nameOf);
    case undefined:
      return 'any JSON';
    default:
      return schema.type;
  }
}

function text({ pattern, format, minLength, maxLength }) {
  const prefix = /^\^(th|ses|run|st|rn)_/.exec(pattern ?? '')?.[1];
  if (prefix) return `${IDS[prefix]} (\`${prefix}_…\`)`;
  if (pattern === '^[0-9a-f]{64}$') return 'sha256 in hex';
  if (format === 'date-time') return 'ISO time';
  if (format === 'uri') return 'URL';
  return `string${size(minLength, maxLength, ' characters')}`;
}

function number({ type, minimum, maximum, default: standard }) {
  const from = Number.isSafeInteger(minimum) && minimum !== Number.MIN_SAFE_INTEGER;
  const to = Number.isSafeInteger(maximum) && maximum !== Number.MAX_SAFE_INTEGER;
  const range = from && to ? `, ${minimum} to ${maximum}` : from ? `, from ${minimum}` : '';
  return `${type}${range}${standard === undefined ? '' : `, ${standard} unless given`}`;
}

function size(least, most, unit = '') {
  if (most !== undefined) return ` (${least ?? 0} to ${most}${unit})`;
  return least ? ' (not empty)' : '';
}

function object(schema, nameOf) {
  if (schema.properties) {
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => `\`${name}\`${required.has(name) ? '' : '?'}: ${words(field, nameOf)}`,
    );
    return `{ ${fields.join('; ')} }`;
  }
  const values = schema.additionalProperties;
  return typeof values === 'object' && values.type ? `map to ${words(values, nameOf)}` : 'object';
}

/** Rows of a table: name, whether it must be there, what it is. */
export function fieldTable(schema, nameOf) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(
    ([name, field]) =>
      `| \`${name}\` | ${required.has(name) ? 'yes' : 'no'} | ${cell(words(field, nameOf))} |`,
  );
  return ['| field | required | what |', '| --- | --- | --- |', ...rows].join('\n');
}

export const cell = (value) => value.replaceAll('|', '\\|');
