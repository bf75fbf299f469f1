// The catalog of agents as a page of markdown.
import { cell } from './schema-words.mjs';

const INTRODUCTION = `
# Agent catalog

<!-- Written by scripts/docs.mjs from the catalog in packages/protocol. Do not edit. -->

The kinds of agents that filepath brings. \`agentType\` of a node is one of these types, or one of [your own](../how-to/add-an-agent-type.md).
\`GET /api/catalog\` and \`filepath agents list\` show them with where their programs are on this machine.
`;

const NOTES = `
## Programs

filepath's own agents are part of it. Programs of others are looked for in the agent's home (\`~/.local/bin\`), among the tools of filepath
(\`filepath agents install TYPE\`), and in \`/usr/local/bin\` and \`/usr/bin\` of the machine, in this order. Where there is none, the agent asks when it
starts whether to install it in its own home, at the version above.

## Metered

The model traffic of a metered agent passes the [gateway](../explanation/cli-agents.md#metered-and-unmetered): it is counted and held by budgets. An unmetered
agent speaks with a server of its maker, with an account of yours. It is labelled, and refused under a budget of money unless \`config.allowUnmetered\` is true.

## Fields of an entry

| field | what |
| --- | --- |
| \`type\` | its name, like \`claude-code\`; the file is \`TYPE.json\` |
| \`name\`, \`description\`, \`icon\` | how it is shown; the icon is one of lucide |
| \`defaultModel\` | the model where none is named; may be empty |
| \`driver\` | how filepath talks with the program: see below |
| \`install\` | \`{"from":"npm","package","version"}\`, with \`"scripts":true\` where its install scripts are needed; or \`{"from":"person","hint"}\` |
| \`metered\` | whether its model traffic passes the gateway |
| \`steers\` | whether it takes a message into the turn that it works on; if not, [messages wait](../how-to/talk-to-a-tree.md). Unless given: not by ACP, by any other driver |
| \`hosts\` | what it must reach beside the gateway, in the form of [a network policy's \`allow\`](../how-to/allow-a-domain.md) |
| \`env\` | variables of the program; \`{baseUrl}\`, \`{apiKey}\` and \`{model}\` stand for the gateway's address, the agent's key and its model |
| \`files\` | files in the agent's home, by their path in it, written before each start; the same words stand for the same |

## Drivers

| \`kind\` | \`command\` | the program |
| --- | --- | --- |
| \`native\` | none; \`profile\` is \`shelley\` or \`pi\` | filepath's own loop |
| \`claude\` | the program and its arguments | speaks the stream-json of Claude Code |
| \`codex\` | the program and its arguments | speaks the protocol of \`codex app-server\` |
| \`acp\` | the program and its arguments | speaks the Agent Client Protocol |
| \`custom\` | optional: else each node's \`config.command\`, image or Dockerfile | speaks [FAP](fap.md) itself |
`;

export function renderAgentCatalog(entries) {
  const table = [
    '| type | what | program | driver | default model | traffic |',
    '| --- | --- | --- | --- | --- | --- |',
    ...entries.map((entry) => `| ${cellsOf(entry).map(cell).join(' | ')} |`),
  ];
  const details = entries.filter(({ hosts, env, files }) => hosts ?? env ?? files);
  return [INTRODUCTION, table.join('\n'), ...details.map(detailOf), NOTES].join('\n\n');
}

function cellsOf({ type, name, description, driver, install, defaultModel, metered }) {
  return [
    `\`${type}\``,
    `**${name}.** ${description}`,
    programOf(driver, install),
    driver.kind,
    defaultModel === '' ? "the program's own" : `\`${defaultModel}\``,
    metered ? 'metered' : 'unmetered',
  ];
}

function programOf(driver, install) {
  if (driver.kind === 'native') return 'part of filepath';
  if (driver.command === undefined) return 'yours';
  const command = `\`${driver.command.join(' ')}\``;
  if (install?.from === 'npm') return `${command} of \`${install.package}@${install.version}\``;
  return `${command}; installed by you`;
}

function detailOf({ type, hosts = [], env = {}, files = {} }) {
  const parts = [
    ...Object.entries(env).map(([name, value]) => `\`${name}=${value}\``),
    ...Object.keys(files).map((path) => `the file \`~/${path}\``),
    ...hosts.map((host) => `reaches \`${host}\``),
  ];
  return `\`${type}\` gets: ${parts.join(', ')}.`;
}
