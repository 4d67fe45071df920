// teaches requests and replies about cookies
import type { FastifyReply, FastifyRequest } from 'fastify';

const names = { session: 'sid', halfLogin: 'chal', device: 'device', reset: 'reset' } as const;

/** A cookie of ours: the session, a sign-in waiting for its second factor, a device that has signed in before, or a browser that waits for a reset code. */
export type CookieName = keyof typeof names;

/** Reads and sets our cookies: HttpOnly, SameSite=Lax; outside plain-http loopback also Secure and host-bound. */
export interface Cookies {
  read(name: CookieName): string | null;
  set(name: CookieName, value: string, lifeMs: number): void;
  clear(name: CookieName): void;
  /** Has the browser drop what it has stored of earlier answers. */
  clearCache(): void;
}

/** What a cookie is called on the wire. */
export function cookieName(name: CookieName, isSecure: boolean): string {
  return isSecure ? `__Host-${names[name]}` : names[name];
}

/** The cookies of a call. */
export function cookiesOf(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): Cookies {
  const fullName = (name: CookieName): string => cookieName(name, isSecure);
  const settings = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
  return {
    read: (name) => request.cookies[fullName(name)] ?? null,
    set: (name, value, lifeMs) => void reply.setCookie(fullName(name), value, { ...settings, maxAge: Math.floor(lifeMs / 1000) }),
    clear: (name) => void reply.clearCookie(fullName(name), settings),
    clearCache: () => void reply.header('clear-site-data', '"cache"'),
  };
}
