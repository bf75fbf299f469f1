/** A repository's address as it may be shown: without the name and password that a URL may carry. */
export function withoutCredentials(address: string): string {
  if (!/^[a-z]+:\/\//i.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  url.username = '';
  url.password = '';
  return url.href;
}
