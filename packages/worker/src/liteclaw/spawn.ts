import { FilepathError, type Liteclaw } from '@filepath/protocol';
import { getAgentByName } from 'agents';
import type { Env } from '../env.ts';
import { notFound } from '../result.ts';
import type { ChatPlace } from '../user/user-object.ts';
import { accessOf } from './access.ts';
import type { Chat } from './chat.ts';

/** The chat of a user, with the SDK's own start behind it. */
export const chatOf = (env: Env, { id }: Pick<ChatPlace, 'id'>): Promise<DurableObjectStub<Chat>> =>
  getAgentByName<Env, Chat>(env.Chat, id);

export async function liteclawOf(env: Env, userId: string): Promise<Liteclaw> {
  const { allowed, since } = await accessOf(env, userId);
  if (!allowed) {
    const waitingSince = since?.toISOString() ?? null;
    return { state: 'waitlist', id: null, waitingSince, createdAt: null };
  }
  return shown(await env.USER.getByName(userId).liteclaw());
}

/** One for each user: whoever asks again, or at the same time, gets the same. Every step may be repeated. */
export async function spawn(env: Env, userId: string): Promise<Liteclaw> {
  await demand(env, userId);
  const user = env.USER.getByName(userId);
  const place = await user.spawnLiteclaw();
  if (place.createdAt !== null) return shown(place);
  const chat = await chatOf(env, place);
  const { createdAt } = await chat.hatch(userId);
  return shown(await user.liteclawReady(createdAt));
}

export async function reset(env: Env, userId: string): Promise<Liteclaw> {
  await demand(env, userId);
  const place = await env.USER.getByName(userId).liteclaw();
  if (place === null || place.createdAt === null)
    throw new FilepathError('conflict', 'There is no LiteClaw to reset. Spawn it first.');
  const chat = await chatOf(env, place);
  await chat.reset();
  return shown(place);
}

/** The chat of a user who has one. */
export async function readyChat(env: Env, userId: string): Promise<DurableObjectStub<Chat>> {
  await demand(env, userId);
  const place = await env.USER.getByName(userId).liteclaw();
  if (place === null || place.createdAt === null)
    throw new FilepathError('conflict', 'There is no LiteClaw yet. Spawn it first.');
  return chatOf(env, place);
}

/** Where the chat of a user is who has one, and may. */
export async function readyPlace(env: Env, userId: string): Promise<ChatPlace | null> {
  const place = await env.USER.getByName(userId).liteclaw();
  if (place === null || place.createdAt === null) return null;
  await demand(env, userId);
  return place;
}

/** Throws unless the chat is the user's own, is ready, and the user may have one. */
export async function demandChat(env: Env, userId: string, id: string): Promise<ChatPlace> {
  const place = await env.USER.getByName(userId).liteclaw();
  if (place?.id !== id || place.createdAt === null) throw notFound('this chat');
  await demand(env, userId);
  return place;
}

/** Throws unless the user may have a LiteClaw. */
export async function demand(env: Env, userId: string): Promise<void> {
  const { allowed } = await accessOf(env, userId);
  if (!allowed)
    throw new FilepathError(
      'conflict',
      'You are not on the list of those who may have a LiteClaw. Join the waitlist.',
    );
}

function shown(place: ChatPlace | null): Liteclaw {
  if (place === null)
    return { state: 'not_spawned', id: null, waitingSince: null, createdAt: null };
  const { id, createdAt } = place;
  if (createdAt === null)
    return { state: 'spawning', id: null, waitingSince: null, createdAt: null };
  return { state: 'ready', id, waitingSince: null, createdAt };
}
