/** Where the browser has a file of a message from. */
export function fileUrl(thread: string, sha256: string, name: string): string {
  return `/api/thread/${encodeURIComponent(thread)}/file/${sha256}?name=${encodeURIComponent(name)}`;
}

/** Images that are shown; of anything else there is the name. */
export function isImage(type: string): boolean {
  return ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].includes(type);
}
