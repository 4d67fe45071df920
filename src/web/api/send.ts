import { authRoutes } from '#contract/auth.ts';
import type { Send, WireRequest } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import type { Routes } from '#contract/routes.ts';
import { ApiError, toApiError } from './api-error.ts';
import { isServerError, noteAnswer, noteFailure } from './connection.ts';
import { leaving } from './leaving.ts';
import { isOutage } from './outage.ts';
import { confirmedByPassword, isPasswordNeeded } from './password-needed.ts';
import type { Renewal } from './refresh.ts';
import { isRefreshable, renewalsSoFar, renewalUnderWay, renewSession } from './refresh.ts';
import { readLines } from './read-lines.ts';
import { withRetries } from './retry.ts';
import { sentRole } from './sent-role.ts';
import { tolerate } from './tolerate.ts';
import type { UnansweredKeys } from './unanswered-keys.ts';

/** What a caller may add to a call. */
export interface SendOptions {
  signal?: AbortSignal;
  version?: number; // of the settings that are changed: refused when somebody else has changed them meanwhile
  onLine?: (line: unknown) => void; // gets each line of an answer that comes line by line; the last one is the answer
  keys?: UnansweredKeys; // of a question that may be asked again; without them each call has a key of its own
}

/** The path below which all calls lie. */
export const basePath = '/api';

/**
 * Sends a call to the server of this page.
 *
 * Fails: ApiError; with the signal's reason when aborted
 */
export const send: Send<SendOptions> = async (request, options = {}) => {
  if (request.route.method === 'GET') await refuseWhileLeaving();
  const answer = await withPassword(request, () => sendOnce(request, options));
  return tolerate(request.route.id, answer);
};

/** Refuses what is asked while the session is being left, once it has been: the screens are gone then, and nobody is shown a failure. */
export async function refuseWhileLeaving(): Promise<void> {
  const end = leaving();
  if (end === null) return;
  await end;
  throw new ApiError({ status: 401, detail: texts.notAuthenticated });
}

/** Asks for the password when the call needs it again, and sends the call once more when it was right. */
async function withPassword({ route }: WireRequest, sendCall: () => Promise<unknown>): Promise<unknown> {
  try {
    return await sendCall();
  } catch (error) {
    if (!isPasswordNeeded(error, route.path) || !(await confirmedByPassword())) throw error;
    return await sendCall();
  }
}

function sendOnce(request: WireRequest, options: SendOptions): Promise<unknown> {
  const sendWith = (key?: string) => sendKeyed(request, options, key);
  return options.keys === undefined ? sendWith() : options.keys.keyed(request, sendWith);
}

async function sendKeyed(request: WireRequest, options: SendOptions, key?: string): Promise<unknown> {
  const init = toInit(request, options, key);
  const { onLine } = options;
  // Whoever follows an answer decides by itself what becomes of it when it breaks.
  const once =
    onLine === undefined
      ? () => withRetries(() => fetchOnce(request, init), request.route.method, options.signal)
      : () => followOnce(request, init, onLine);
  return isRefreshable(request.route.path) ? withRenewal(once) : once();
}

/** Waits for a renewal under way; renews the session after a 401, once, and replays the call. */
async function withRenewal(once: () => Promise<unknown>): Promise<unknown> {
  const waited = await renewalUnderWay();
  if (waited !== null) throw unrenewed(waited);
  const renewalsAtSend = renewalsSoFar();
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const renewal = renewalsSoFar() === renewalsAtSend ? await renewSession(refresh) : null;
    if (renewal !== null) throw isOutage(renewal.error) ? unrenewed(renewal) : error;
    return await once();
  }
}

/** What a call fails with whose session was not renewed. Where the server could not answer that is not a refusal: what was loaded stays, and the session. */
const unrenewed = ({ error }: NonNullable<Renewal>) =>
  new ApiError({ status: 401, detail: texts.notAuthenticated, isUnrenewed: isOutage(error) });

const refresh = () => send({ route: authRoutes.refreshSession, path: authRoutes.refreshSession.path, body: undefined }, undefined);

function toInit({ route, body }: WireRequest, { signal, version }: SendOptions, key?: string): RequestInit {
  const headers: Record<string, string> = { 'X-Role': sentRole() };
  if (route.method !== 'GET') headers['Idempotency-Key'] = key ?? crypto.randomUUID();
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

/** The state of the fleet in the contract, which the screens before the dashboard do not load. */
const liveStatusId = 'API-15' satisfies Routes['liveStatus']['id'];

/** Sends a call whose answer comes line by line. Each line is an answer of the server; that none comes is not an outage yet. */
async function followOnce({ route, path }: WireRequest, init: RequestInit, onLine: (line: unknown) => void): Promise<unknown> {
  const response = await fetch(`${basePath}${path}`, init).catch((error: unknown) => {
    throw init.signal?.aborted === true ? error : new ApiError({ status: null, detail: null, cause: error });
  });
  if (!response.ok) throw await toApiError(response);
  if (response.body === null) throw new ApiError({ status: response.status, detail: null });
  return readLines(response.body, (line) => {
    noteAnswer(Date.now());
    onLine(route.reply.parse(line));
  });
}

async function fetchOnce({ route, path }: WireRequest, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(`${basePath}${path}`, init);
    // One call that fails is the matter of its panel; that the server is broken is what the state of the fleet says.
    if (isServerError(response.status) && route.id === liveStatusId) noteFailure('server-error', Date.now());
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
