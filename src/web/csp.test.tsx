import { afterEach, expect, test } from 'vitest';
import { readCspNonce } from './csp-nonce.ts';

const meta = (content: string) => {
  const tag = document.createElement('meta');
  Object.assign(tag, { name: 'csp-nonce', content });
  document.head.append(tag);
};
afterEach(() => document.querySelector('meta[name="csp-nonce"]')?.remove());

test('the nonce of the page is read; without one, or where no server has filled it in, it is empty', () => {
  expect(readCspNonce()).toBe('');
  meta('__CSP_NONCE__');
  expect(readCspNonce()).toBe('');
  document.querySelector('meta[name="csp-nonce"]')?.remove();
  meta('r4nd0m+/=');
  expect(readCspNonce()).toBe('r4nd0m+/=');
});
