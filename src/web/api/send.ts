import type { Send, WireRequest } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { routes } from '#contract/routes.ts';
import { ApiError, toApiError } from './api-error.ts';
import { isServerError, noteAnswer, noteFailure } from './connection.ts';
import { leaving } from './leaving.ts';
import { confirmedByPassword, isPasswordNeeded } from './password-needed.ts';
import { isRefreshable, renewalsSoFar, renewalUnderWay, renewSession } from './refresh.ts';
import { withRetries } from './retry.ts';
import { sentRole } from './sent-role.ts';
import { tolerate } from './tolerate.ts';

/** What a caller may add to a call. */
export interface SendOptions {
  signal?: AbortSignal;
  version?: number; // of the settings that are changed: refused when somebody else has changed them meanwhile
  idempotencyKey?: string; // of a user action that is tried again; made here when absent
}

/** The path below which all calls lie. */
export const basePath = '/api';

/**
 * Sends a call to the server of this page.
 *
 * Fails: ApiError; with the signal's reason when aborted
 */
export const send: Send<SendOptions> = async (request, options = {}) => {
  const end = leaving();
  if (end !== null && request.route.method === 'GET') {
    await end; // the screens are gone then, and nobody is shown a failure
    throw new ApiError({ status: 401, detail: texts.notAuthenticated });
  }
  const answer = await withPassword(request, () => sendOnce(request, options));
  return tolerate(request.route.id, answer);
};

/** Asks for the password when the call needs it again, and sends the call once more when it was right. */
async function withPassword({ route }: WireRequest, sendCall: () => Promise<unknown>): Promise<unknown> {
  try {
    return await sendCall();
  } catch (error) {
    if (!isPasswordNeeded(error, route.path) || !(await confirmedByPassword())) throw error;
    return await sendCall();
  }
}

async function sendOnce(request: WireRequest, options: SendOptions): Promise<unknown> {
  const init = toInit(request, options);
  const once = () => withRetries(() => fetchOnce(request, init), request.route.method, options.signal);
  return isRefreshable(request.route.path) ? withRenewal(once) : once();
}

/** Waits for a renewal under way; renews the session after a 401, once, and replays the call. */
async function withRenewal(once: () => Promise<unknown>): Promise<unknown> {
  const running = renewalUnderWay();
  if (running !== null && !(await running)) throw new ApiError({ status: 401, detail: texts.notAuthenticated });
  const renewalsAtSend = renewalsSoFar();
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    if (renewalsSoFar() === renewalsAtSend && !(await renewSession(refresh))) throw error;
    return await once();
  }
}

const refresh = () => send({ route: routes.refreshSession, path: routes.refreshSession.path, body: undefined }, undefined);

function toInit({ route, body }: WireRequest, { signal, idempotencyKey, version }: SendOptions): RequestInit {
  const headers: Record<string, string> = { 'X-Role': sentRole() };
  if (route.method !== 'GET') headers['Idempotency-Key'] = idempotencyKey ?? crypto.randomUUID();
  if (version !== undefined) headers['If-Match'] = `"${version}"`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return {
    method: route.method,
    credentials: 'include',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

async function fetchOnce({ route, path }: WireRequest, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(`${basePath}${path}`, init);
    // One call that fails is the matter of its panel; that the server is broken is what the state of the fleet says.
    if (isServerError(response.status) && path.split('?')[0] === routes.liveStatus.path) noteFailure('server-error', Date.now());
    else if (!isServerError(response.status)) noteAnswer(Date.now());
    if (!response.ok) throw await toApiError(response);
    return route.replyType === undefined ? ((await response.json()) as unknown) : await response.blob();
  } catch (error) {
    if (error instanceof ApiError || init.signal?.aborted === true) throw error;
    if (error instanceof SyntaxError) throw new ApiError({ status: 200, detail: null, cause: error });
    noteFailure('no-answer', Date.now());
    throw new ApiError({ status: null, detail: null, cause: error });
  }
}
