/** Where the browser has a file of a message from. */
export function fileUrl(thread: string, sha256: string, name: string): string {
  return `/api/thread/${encodeURIComponent(thread)}/file/${sha256}?name=${encodeURIComponent(name)}`;
}

export function chatFileUrl(chat: string, sha256: string, name: string): string {
  return `/agents/chat/${encodeURIComponent(chat)}/file/${sha256}?name=${encodeURIComponent(name)}`;
}

/** A file of a message, as the page shows it. */
export type MessageFile = {
  readonly name: string;
  readonly sha256: string;
  readonly type: string;
  readonly bytes?: number;
  /** Where an agent finds it. */
  readonly path?: string;
};

/** Images that are shown; of anything else there is the name. */
export function isImage(type: string): boolean {
  return ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].includes(type);
}
