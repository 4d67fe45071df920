import { isOutage } from './outage.ts';

/** Calls whose 401 never leads to a renewal of the session. */
const withoutRefresh: ReadonlySet<string> = new Set([
  '/auth/login',
  '/auth/register',
  '/auth/forgot-password',
  '/auth/reset-password',
  '/auth/verify-email',
  '/auth/resend-verification',
  '/auth/refresh',
]);

/** Fired on the window when the session could not be renewed. */
export const logoutEvent = 'auth:logout';

/** How a renewal ended: with the failure of it, or null. */
export type Renewal = { error: unknown } | null;

let underWay: Promise<Renewal> | null = null; // the whole queue: everybody waits for this one promise
let renewals = 0;

/** Whether a 401 of the call at `path` leads to a renewal of the session. */
export function isRefreshable(path: string): boolean {
  return !withoutRefresh.has(path);
}

/** How many renewals have succeeded so far. A call notes it when sent, so that a late 401 does not renew again. */
export function renewalsSoFar(): number {
  return renewals;
}

/** The renewal under way, if any. */
export function renewalUnderWay(): Promise<Renewal> | null {
  return underWay;
}

/** Renews the session by `renew`, or joins the renewal under way. When it is refused the logout event fires, once. */
export function renewSession(renew: () => Promise<unknown>): Promise<Renewal> {
  underWay ??= renew()
    .then(
      () => {
        renewals += 1;
        return null;
      },
      (error: unknown) => {
        // A server that cannot answer now has not ended the session: the call fails, and a later one renews it.
        if (!isOutage(error)) window.dispatchEvent(new Event(logoutEvent));
        return { error };
      },
    )
    .finally(() => {
      underWay = null;
    });
  return underWay;
}
