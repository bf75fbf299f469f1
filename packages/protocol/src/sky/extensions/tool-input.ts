import { z } from 'zod';
import { TOOL_LIMITS } from '../tools/args.ts';

const description = z.string().max(500).optional();
const length = z.int().min(1).max(TOOL_LIMITS.text);
const bound = z.number().optional();

const Text = z.strictObject({
  type: z.literal('string'),
  description,
  enum: z.array(z.string().max(200)).min(1).max(50).optional(),
  maxLength: length.optional(),
});
const Items = z.strictObject({ type: z.literal('string'), maxLength: length.optional() });

const Property = z.discriminatedUnion('type', [
  Text,
  z.strictObject({
    type: z.enum(['number', 'integer']),
    description,
    minimum: bound,
    maximum: bound,
  }),
  z.strictObject({ type: z.literal('boolean'), description }),
  z.strictObject({
    type: z.literal('array'),
    description,
    items: Items,
    maxItems: z.int().min(1).max(1_000).optional(),
  }),
]);
type Property = z.infer<typeof Property>;

/** What a tool of an extension is called with: the part of JSON Schema that is checked here, without patterns. */
export const ToolInput = z
  .strictObject({
    type: z.literal('object'),
    properties: z
      .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/), Property)
      .refine((all) => Object.keys(all).length <= 32, 'expected at most 32 properties'),
    required: z.array(z.string()).max(32).optional(),
    additionalProperties: z.literal(false).optional(),
  })
  .refine(
    ({ properties, required = [] }) => required.every((name) => Object.hasOwn(properties, name)),
    'required names a property that is not there',
  );
export type ToolInput = z.infer<typeof ToolInput>;

export function argsSchema({ properties, required = [] }: ToolInput): z.ZodType {
  const shape = Object.entries(properties).map(([name, property]) => {
    const { description: words } = property;
    const plain = valueSchema(property);
    const schema = words === undefined ? plain : plain.describe(words);
    return [name, required.includes(name) ? schema : schema.optional()];
  });
  return z.strictObject(Object.fromEntries(shape));
}

function valueSchema(property: Property): z.ZodType {
  if (property.type === 'string') {
    if (property.enum) return z.enum(property.enum);
    return z.string().max(property.maxLength ?? TOOL_LIMITS.text);
  }
  if (property.type === 'boolean') return z.boolean();
  if (property.type === 'array')
    return z
      .array(z.string().max(property.items.maxLength ?? TOOL_LIMITS.text))
      .max(property.maxItems ?? 1_000);
  const { type, minimum = -Number.MAX_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = property;
  return (type === 'integer' ? z.int() : z.number()).min(minimum).max(maximum);
}
