/** The nonce the page's content policy asks of style tags, as the server has written it into the page; '' without one. */
export function readCspNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
  return nonce.startsWith('__') ? '' : nonce; // the placeholder stays where no server fills it in
}

/** Gives the scroll lock of the dialogs the nonce: it reads it from this global when it writes its style tag. */
export function shareCspNonce(nonce: string): void {
  if (nonce !== '') Object.assign(globalThis, { __webpack_nonce__: nonce });
}
