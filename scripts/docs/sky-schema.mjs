// The schemas of Sky as one document of JSON Schema.

/** Each is a definition of the document, and named where another has it. */
const NAMED = [
  'SkyMessage',
  'SkyPart',
  'SkyMetadata',
  'SkyToolCall',
  'SkyEvent',
  'RunReceipt',
  'ToolReceipt',
  'FileChange',
  'Receipt',
  'SkyMemory',
  'LogEvent',
  'SkyExportHeader',
  'SkyExportEnd',
  'SkyExportLine',
  'ExtensionManifest',
];

export function renderSkySchema({ sky, z }) {
  const registry = z.registry();
  for (const name of NAMED) registry.add(sky[name], { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/$defs/${id}`,
    unrepresentable: 'any',
  });
  const definitions = NAMED.map((name) => {
    const { $schema: _, $id: __, ...schema } = schemas[name];
    return [name, schema];
  });
  return JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Sky ${sky.CF_SKY_VERSION}: a line of an export, and what is in it`,
    $ref: '#/$defs/SkyExportLine',
    $defs: Object.fromEntries(definitions),
  });
}
