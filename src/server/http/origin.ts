import { texts } from '#contract/errors.ts';
import type { FastifyRequest } from 'fastify';
import { HttpError } from './http-error.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/u;

/** Where people reach the server: the configured public address, or none when it is the one they typed. */
export interface PublicAddress {
  publicUrl: URL | null;
  isLoopback: boolean; // whether the server listens on loopback only
}

/** Whether cookies must be Secure: everywhere but on plain-http loopback. */
export function needsSecureCookies(address: PublicAddress): boolean {
  return address.publicUrl === null
    ? !address.isLoopback
    : address.publicUrl.protocol === 'https:' || !loopback.test(address.publicUrl.host);
}

/**
 * Refuses a state-changing call that a page of another origin has made: 403.
 *
 * Browsers name the page's origin in every such call; a program that is not a browser names none and has no cookies to
 * steal. On loopback the Host itself must be loopback, so that a foreign name pointing here gains nothing.
 */
export function refuseForeignOrigin(request: FastifyRequest, address: PublicAddress): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (origin === undefined) {
    if (site === undefined || site === 'same-origin' || site === 'none') return;
    throw new HttpError(403, texts.originNotAllowed);
  }
  if (!isOwn(origin, request.headers.host ?? '', address)) throw new HttpError(403, texts.originNotAllowed);
}

/** Whether the Host header may be answered at all; keeps names that were made to point to loopback away. */
export function isKnownHost(host: string, address: PublicAddress): boolean {
  if (address.publicUrl !== null && host === address.publicUrl.host) return true;
  return !address.isLoopback || loopback.test(host);
}

function isOwn(origin: string, host: string, address: PublicAddress): boolean {
  if (address.publicUrl !== null && origin === address.publicUrl.origin) return true;
  if (address.publicUrl !== null && !address.isLoopback) return false;
  return (origin === `http://${host}` || origin === `https://${host}`) && isKnownHost(host, address);
}
