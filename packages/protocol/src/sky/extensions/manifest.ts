import { z } from 'zod';
import { parseAllowedHost } from '../../api/network.ts';
import { TOOL_ARGS } from '../tools/args.ts';
import { ToolInput } from './tool-input.ts';

/** Characters, unless told. */
export const EXTENSION_LIMITS = {
  code: 65_536,
  manifest: 32_768,
  /** What it adds to the system prompt: by its manifest, by one hook, and all of a chat together. */
  prompt: 2_000,
  hookPrompt: 1_000,
  prompts: 6_000,
  tools: 8,
  /** Extensions of one chat. */
  enabled: 8,
  /** Versions in the catalog. */
  catalog: 200,
} as const;

/** As a provider sees the name of a tool: without dots. */
const flat = (name: string): string => name.replaceAll('.', '_');
const BUILT_IN = new Set(Object.keys(TOOL_ARGS).map(flat));

/** Two labels at least: whose it is, and what. No underscore, so that no two names look alike without their dots. */
const NAME = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/;
const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

export const ExtensionName = z
  .string()
  .max(48)
  .regex(NAME, 'expected a name like sky.echo: lower case, with a dot');
const ExtensionVersion = z.string().regex(VERSION, 'expected a version like 1.0.0');

/** An extension at a version: `sky.echo@1.0.0`. */
export const ExtensionRef = z
  .string()
  .max(80)
  .refine((text) => parseExtensionRef(text) !== null, 'expected name@version, like sky.echo@1.0.0');

export function parseExtensionRef(text: string): { name: string; version: string } | null {
  const [name = '', version = '', ...rest] = text.split('@');
  const fits = name.length <= 48 && NAME.test(name) && VERSION.test(version);
  return fits && rest.length === 0 ? { name, version } : null;
}

export const extensionRef = ({ name, version }: { name: string; version: string }): string =>
  `${name}@${version}`;

export const ExtensionHook = z.enum(['onRunStart', 'onMessage', 'onToolCall', 'onRunComplete']);
export type ExtensionHook = z.infer<typeof ExtensionHook>;

const Label = z.string().min(1).max(60);

const ExtensionTool = z.strictObject({
  name: z.string().max(64).regex(NAME),
  description: z.string().min(1).max(1_000),
  /** `write`: it changes something, and is refused in a chat that is read-only. */
  access: z.enum(['read', 'write']),
  input: ToolInput,
  ui: z.strictObject({ label: Label }).optional(),
});
export type ExtensionTool = z.infer<typeof ExtensionTool>;

/** What its code is given beyond the arguments of its own tools. Nothing unless it is named. */
const Permissions = z.strictObject({
  /** Hooks see what is said: the message, and the answer. */
  messages: z.boolean().optional(),
  /** `onToolCall` sees the arguments of every tool. */
  tool_args: z.boolean().optional(),
  /** `onRunStart` and `onMessage` may add to the system prompt. */
  prompt: z.boolean().optional(),
  /** Hosts that its tools may ask through `http.fetch`, as far as the chat allows them too. */
  http: z
    .array(
      z
        .string()
        .max(320)
        .refine((text) => parseAllowedHost(text) !== null, 'expected a host like example.com'),
    )
    .max(16)
    .optional(),
});

const unique = (names: readonly string[]): boolean => new Set(names).size === names.length;

export const ExtensionManifest = z
  .strictObject({
    name: ExtensionName,
    version: ExtensionVersion,
    description: z.string().min(1).max(500),
    tools: z.array(ExtensionTool).max(EXTENSION_LIMITS.tools).default([]),
    hooks: z.array(ExtensionHook).max(4).default([]),
    permissions: Permissions.default({}),
    prompts: z.strictObject({ system: z.string().min(1).max(EXTENSION_LIMITS.prompt) }).optional(),
    ui: z.strictObject({ label: Label }).optional(),
  })
  .superRefine(({ name, tools, hooks }, issues) => {
    const names = tools.map((tool) => tool.name);
    for (const [at, tool] of names.entries()) {
      const path = ['tools', at, 'name'];
      if (tool !== name && !tool.startsWith(`${name}.`))
        issues.addIssue({
          code: 'custom',
          path,
          message: `expected ${name}, or a name that begins with ${name}.`,
        });
      if (BUILT_IN.has(flat(tool)))
        issues.addIssue({ code: 'custom', path, message: `${tool} is a tool of every chat` });
    }
    if (!unique(names))
      issues.addIssue({ code: 'custom', path: ['tools'], message: 'a name is there twice' });
    if (!unique(hooks))
      issues.addIssue({ code: 'custom', path: ['hooks'], message: 'a hook is there twice' });
  });
export type ExtensionManifest = z.infer<typeof ExtensionManifest>;

/** An extension as it is put into the catalog. One without tools and hooks has no code. */
export const ExtensionContent = z
  .strictObject({
    manifest: ExtensionManifest,
    /** An ES module without imports. */
    code: z.string().min(1).max(EXTENSION_LIMITS.code).nullable().default(null),
  })
  .superRefine(({ manifest, code }, issues) => {
    const needs = manifest.tools.length > 0 || manifest.hooks.length > 0;
    if (needs && code === null)
      issues.addIssue({ code: 'custom', path: ['code'], message: 'its tools and hooks need code' });
    if (!needs && code !== null)
      issues.addIssue({
        code: 'custom',
        path: ['code'],
        message: 'it declares no tools and no hooks',
      });
    if (JSON.stringify(manifest).length > EXTENSION_LIMITS.manifest)
      issues.addIssue({
        code: 'custom',
        path: ['manifest'],
        message: `longer than ${EXTENSION_LIMITS.manifest} characters`,
      });
  });
export type ExtensionContent = z.infer<typeof ExtensionContent>;
