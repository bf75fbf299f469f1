import { editBody } from './body/edit-body.ts';
import type { Upstream } from './contract.ts';
import { failureOf, isRedirect, REDIRECTED } from './failure.ts';
import { secretsIn, toAgent } from './headers.ts';
import type { Incoming } from './incoming.ts';
import { providerError } from './provider-error.ts';
import { outgoingOf, type Sender } from './send.ts';
import type { Times } from './times.ts';

/** What costs nothing is passed on without a reservation: counting tokens, and what is looked up or cancelled. */
export async function answerFree(
  { sender, times }: { readonly sender: Sender; readonly times: Times },
  incoming: Incoming,
  upstream: Upstream,
): Promise<Response> {
  const { operation, body } = incoming;
  const { format } = operation;
  const changes = { model: upstream.model, limit: null, limitKey: '', usage: false };
  const bytes = body ? editBody(format, body, changes) : incoming.bytes;
  const secrets = secretsIn(upstream.headers);
  let answer: Response;
  try {
    const signal = AbortSignal.timeout(times.firstByte);
    answer = await sender.send(outgoingOf(incoming, upstream, bytes), signal);
  } catch {
    return providerError(format, 'unreachable', `${upstream.provider} gave no answer.`);
  }
  if (isRedirect(answer)) {
    await answer.body?.cancel();
    return providerError(format, 'unreachable', REDIRECTED);
  }
  const shown = { status: answer.status, headers: toAgent(answer.headers, secrets) };
  return answer.ok
    ? new Response(answer.body, shown)
    : new Response(await failureOf(answer, secrets), shown);
}
