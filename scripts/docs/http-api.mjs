// The HTTP API as a page of markdown.
import { cell, fieldTable, words } from './schema-words.mjs';

const INTRODUCTION = `
# HTTP API

<!-- Written by scripts/docs.mjs from the worker's OpenAPI document. Do not edit. -->

The same document is served as OpenAPI 3.1 at \`/api/openapi.json\`.

- **Who may ask.** _open_: anyone. _user_: a signed-in cookie, or \`Authorization: Bearer …\` with an API token or the
  owner's. _person_: the same without API tokens. _owner_: the owner's token as
  bearer. _runner_: the runner's token as bearer. _agent_: an agent's key, through its runner. Without it the answer is 401. What belongs to somebody else is 404.
- **Host and Origin** are checked first: a foreign \`Host\` is 421, a foreign \`Origin\` is 403.
- **Bodies** are JSON with \`Content-Type: application/json\`, at most 1 MiB. A key that is not listed here is an error.
- **The gateway** (\`/gateway/…\`) speaks as its providers do: their bodies, at most 32 MiB, and their errors.
- **Errors** are \`{"error": {"code", "message", "details?"}}\`. \`details\` of a rejected body is a list of
  \`{"path", "reason"}\`. The codes are [below](#errors).
- **Feeds** (\`…/events\`) answer in three encodings, chosen by the request: a JSON page; server-sent events with
  \`Accept: text/event-stream\` (each event has its seq as \`id\`, and \`Last-Event-ID\` wins over \`after\`); a WebSocket with an
  \`Upgrade\` header. A reader that comes back with its last seq misses nothing and sees nothing twice.
- **WebSocket feeds** send \`{"t":"events","events":[…]}\`, \`{"t":"draft","id","content"}\`, \`{"t":"delta","id","delta"}\` and
  \`{"t":"deleted"}\`. The reader answers with \`{"t":"ack","seq":N}\`, and with \`"drafts":M\` for the number of draft and delta frames
  it has taken in. With more than 1 MiB unacknowledged it gets nothing more until it acknowledges. With \`"answer":true\` an
  acknowledgement gets a frame of events back, if need be an empty one: a silent socket can lead to nobody.
- **Agents.** \`agentType\` is a type of [the catalog](agent-catalog.md), or one of your own. A \`custom\` agent needs \`config.command\`, \`config.image\` or \`config.dockerfile\`. A message has at most 128 KiB. A tree is
  at most 8 levels deep and has at most 1000 agents, 50 below one, unless the instance is told otherwise; beyond that the answer is \`cap_reached\`. Values of \`config.envVars\` go
  in and never come out: every answer masks them.
`;

const GROUPS = [
  ['Sessions', /^\/api\/session(\/\{id\}(\/(tree|events|signal))?)?$/],
  ['Nodes', /^\/api\/session\/\{id\}\/node/],
  ['Threads', /^\/api\/thread\//],
  ['Sign-in', /^\/api\/(auth|devices|tokens|passkeys|addresses)(\/|$)/],
  ['Runner link', /^\/link\//],
  ['Gateway', /^\/gateway\//],
  ['Other', /./],
];

export function renderHttpApi({ document, schemas, errors }) {
  const nameOf = (schema, except = null) =>
    schemas.find(({ name, input, output }) => name !== except && [input, output].some(same(schema)))
      ?.name ?? null;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = GROUPS.map(([title, pattern], index) => {
    const earlier = GROUPS.slice(0, index);
    const own = operations.filter(
      ({ path }) => pattern.test(path) && !earlier.some(([, taken]) => taken.test(path)),
    );
    return [`## ${title}`, ...own.map((one) => renderOperation(one, nameOf))].join('\n\n');
  });
  return [
    INTRODUCTION.trim(),
    overview(operations),
    ...groups,
    '## Schemas',
    ...schemas.map((schema) => renderSchema(schema, nameOf)),
    renderErrors(errors),
  ].join('\n\n');
}

function overview(operations) {
  const rows = operations.map((one) => {
    const anchor = title(one)
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-');
    return `| [${title(one)}](#${anchor}) | ${access(one.operation.security)} |`;
  });
  return ['| route | who |', '| --- | --- |', ...rows].join('\n');
}

function title({ path, method }) {
  return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

function renderOperation(one, nameOf) {
  const { operation } = one;
  const lines = [`### ${title(one)}`, `${operation.summary} _${access(operation.security)}_`];
  if (operation.parameters) lines.push(parameters(operation.parameters, nameOf));
  const body = operation.requestBody?.content['application/json'].schema;
  if (body) lines.push('Body:', bodyOf(body, nameOf));
  const answers = Object.entries(operation.responses).filter(([status]) => status !== 'default');
  lines.push(answers.map(([status, answer]) => answerLine(status, answer, nameOf)).join('\n'));
  return lines.join('\n\n');
}

function access(security) {
  if (security.length === 0) return 'open';
  if (security.some((one) => 'runner' in one)) return 'runner';
  if (security.some((one) => 'operator' in one))
    return security.some((one) => 'signedIn' in one) ? 'person and operator' : 'operator';
  if (security.some((one) => 'agent' in one)) return 'agent';
  if (security.some((one) => 'signedIn' in one)) return 'person';
  return security.some((one) => 'cookie' in one) ? 'user' : 'owner';
}

function parameters(list, nameOf) {
  const rows = list.map(
    ({ name, in: where, required, schema }) =>
      `| \`${name}\` | ${where} | ${required ? 'yes' : 'no'} | ${cell(words(schema, nameOf))} |`,
  );
  return ['| parameter | in | required | what |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function bodyOf(schema, nameOf) {
  const name = nameOf(schema);
  return name === null ? fieldTable(schema, nameOf) : `[${name}](#${name.toLowerCase()})`;
}

function answerLine(status, { description, content }, nameOf) {
  const [type, { schema } = {}] = Object.entries(content ?? {})[0] ?? [];
  if (!schema) return `- **${status}** ${description}`;
  const kind = type === 'application/json' ? '' : ` (\`${type}\`)`;
  return `- **${status}** ${description}${kind} ${words(schema, nameOf)}`;
}

function renderSchema({ name, input, output }, nameOf) {
  const schema = name.endsWith('Create') || name === 'AgentConfig' ? input : output;
  const below = (inner) => nameOf(inner, name);
  const choices = schema.oneOf ?? schema.anyOf;
  if (!choices) return `### ${name}\n\n${fieldTable(schema, below)}`;
  const tables = choices.map((choice) => {
    const type = choice.properties?.type?.const;
    return `\`type\` \`${JSON.stringify(type)}\`:\n\n${fieldTable(choice, below)}`;
  });
  return [`### ${name}`, ...tables].join('\n\n');
}

function renderErrors(errors) {
  const rows = Object.entries(errors).map(
    ([code, { status, retryable }]) => `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} |`,
  );
  return [
    '## Errors',
    ['| code | status | worth a retry |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

const same = (schema) => (other) => JSON.stringify(schema) === JSON.stringify(other);
