import type { z } from 'zod';
import type { ErrorTexts } from './errors.ts';
import { general, joinTexts, needsSession, texts } from './errors.ts';
import type { Role } from './fields.ts';

/**
 * Who may call.
 *
 * - `anyone`: no session needed
 * - `all`: each role with a session
 * - a list: these roles with a session; others get 403 with `denied`
 *
 * `stepUp` asks for a password checked within the last ten minutes; an older check answers 403 (`texts.passwordNeeded`).
 *
 * `strangerAfterMs`: the call answers how things stand, so whoever cannot be recognised in this time counts as a stranger; with 0 nobody is
 * asked for. Only with `anyone`.
 *
 * `bot` says which bots the call may name: those the caller may see, or those the caller owns (admins: all).
 */
export interface Access {
  who: 'anyone' | 'all' | readonly Role[];
  denied?: string;
  stepUp?: true;
  strangerAfterMs?: number;
  bot?: 'visible' | 'own';
}

/** One call of the API. */
export interface Route {
  id: string; // the requirement, e.g. 'API-02'; 'ADD-' and a name for a call beyond them
  method: 'GET' | 'POST' | 'PATCH';
  path: string; // below /api, parameters in braces: '/bots/{id}'
  summary: string; // a sentence for the API's documentation
  access: Access;
  params?: z.ZodType;
  changesNothing?: true; // a question too long for a query: it counts among the calls that read, and its answer is not kept
  query?: z.ZodType;
  body?: z.ZodType;
  status?: 200 | 201; // of a success; 200 when absent
  reply: z.ZodType;
  replyType?: 'application/pdf' | 'application/octet-stream' | 'text/javascript' | 'application/x-ndjson'; // when the reply is a file; when it comes line by line, each of the shape `reply`
  errors: ErrorTexts; // complete, the general ones included
}

/** Whether a call changes something. */
export function isChange(route: Pick<Route, 'method' | 'changesNothing'>): boolean {
  return route.method !== 'GET' && route.changesNothing !== true;
}

/** A route with its error texts completed by those that every call of its kind has. */
export function defineRoute<const R extends Route>(route: R): R {
  const session = route.access.who === 'anyone' ? {} : needsSession;
  const denied = route.access.denied === undefined ? {} : { 403: [route.access.denied] };
  const stepUp = route.access.stepUp === true ? { 403: [texts.passwordNeeded] } : {};
  return { ...route, errors: joinTexts(route.errors, session, denied, stepUp, general) };
}
