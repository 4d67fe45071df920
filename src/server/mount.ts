import { texts } from '#contract/errors.ts';
import type { Route } from '#contract/route.ts';
import { isChange } from '#contract/route.ts';
import { routes } from '#contract/routes.ts';
import type { Database } from '#storage/database.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { CrowdGate } from './auth/crowd-gate.ts';
import { callerOf } from './auth/sessions.ts';
import { requireStepUp } from './auth/step-up.ts';
import { answeredWithin } from './calls/answered-within.ts';
import type { AnyHandler, Handlers } from './calls/call.ts';
import type { Caller } from './calls/caller.ts';
import { clientAddress } from './http/client-address.ts';
import { cookiesOf } from './http/cookies.ts';
import { DeniedCalls } from './audit/denied-calls.ts';
import { deviceName } from './http/device-name.ts';
import { compressedLines, LinesAnswer, streamOfLines } from './calls/lines-answer.ts';
import type { LinePace } from './calls/lines-answer.ts';
import { FileAnswer } from './calls/file-answer.ts';
import { HeldFile } from './calls/held-file.ts';
import { HttpError } from './http/http-error.ts';
import { answerRepeated, keepFirstAnswer } from './calls/idempotency.ts';
import type { PublicAddress } from './http/origin.ts';
import { needsSecureCookies, refuseForeignOrigin } from './http/origin.ts';
import { onceSent } from './http/unread-answers.ts';
import { laneOf, Lanes } from './calls/lanes.ts';
import { OpenCalls } from './calls/open-calls.ts';
import { RequestRate } from './calls/request-rate.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** In place of an answer: a repeated call has been given its first one. */
const answeredBefore = Symbol('answered before');

/** Puts every call of the contract onto the server, below /api. */
export function mountRoutes(
  app: FastifyInstance,
  handlers: Handlers,
  context: { db: Database; address: PublicAddress; now: () => Date; follow: LinePace },
): void {
  const isSecure = needsSecureCookies(context.address);
  const rate = new RequestRate();
  const open = new OpenCalls();
  const lanes = new Lanes();
  const deniedCalls = new DeniedCalls();
  const crowd = new CrowdGate();
  const closing = new AbortController();
  app.addHook('preClose', () => closing.abort()); // what is sent line by line would keep the server from closing
  for (const [name, route] of Object.entries(routes) as [keyof Handlers, Route][]) {
    const handler = handlers[name] as AnyHandler;
    const changes = isChange(route);
    const isForStrangers = changes && route.access.who === 'anyone' && name !== 'logout' && name !== 'refreshSession';
    app.route({
      method: route.method,
      url: `/api${route.path.replaceAll(/\{(\w{1,40})\}/gu, ':$1')}`,
      schema: schemaOf(name, route),
      // The answer to a change is kept as text for a repetition of the call.
      ...(changes || route.replyType === 'application/x-ndjson' ? { compress: false } : {}),
      ...(route.path.startsWith('/auth/') ? { bodyLimit: 16_384 } : {}),

      // Asked before the body is read: whoever may not do it sends no body.
      async onRequest(request, reply) {
        refuseForeignOrigin(request, context.address);
        await letIn(request, reply, route, 'counted');
      },
      async preValidation(request) {
        refuseOddText([request.body, request.query, request.params]);
        refuseRepeatedKeys(request.query);
      },
      async onSend(request, reply, payload) {
        try {
          if (changes) await keepFirstAnswer(context.db, request, reply, payload);
        } catch (error) {
          request.log.error({ err: error }, 'an answer could not be kept'); // it is the answer all the same: the call has been done
        }
        return payload;
      },
      async handler(request, reply) {
        const work = () =>
          handler({
            params: request.params,
            query: request.query,
            body: request.body,
            caller: callers.get(request) ?? null,
            cookies: cookiesOf(request, reply, isSecure),
            now: context.now(),
            address: clientAddress(request),
            device: deviceName(request.headers['user-agent']),
            requestId: request.id,
            ifVersion: versionOf(request.headers['if-match']),
            log: request.log,
            isGone: () => reply.raw.destroyed,
          });
        // Who is signed in has a limit of their own; renewing and ending a session must work in any crowd.
        const inCrowd = () => (isForStrangers ? crowd.pass(work) : work());
        const once = async (): Promise<unknown> => {
          // Asked again: a body and the changes before this one take time, and session, role or standing may have ended meanwhile.
          const again = (): Promise<void> => letIn(request, reply, route, 'again');
          await again();
          const caller = callers.get(request)?.id ?? clientAddress(request);
          const isRepeated = await answerRepeated(context.db, request, reply, caller, `${route.method} ${route.path}`, again);
          return isRepeated ? answeredBefore : inCrowd();
        };
        const person = personOf(request, reply, name);
        const inLane = () => (person === null ? once() : lanes.pass(person, laneOf(name, request.query, request.body), once));
        const answer = await (changes ? inLane() : work());
        if (answer === answeredBefore) return reply;
        if (answer instanceof HeldFile) onceSent(request, reply, answer.free);
        if (answer instanceof FileAnswer) {
          reply.type(route.replyType ?? 'application/octet-stream').header('Content-Disposition', `attachment; filename="${answer.name}"`);
          return reply.send(answer.bytes);
        }
        if (answer instanceof LinesAnswer) return reply.send(await linesFor(request, reply, route, answer));
        return reply.status(route.status ?? 200).send(answer);
      },
    });
  }

  /** Whose changes a call waits for: the caller's; of a session that has run out, and is renewed, those of its token. Null of strangers. */
  function personOf(request: FastifyRequest, reply: FastifyReply, name: keyof Handlers): string | null {
    const caller = callers.get(request);
    if (caller !== undefined) return caller.id;
    return name === 'refreshSession' ? cookiesOf(request, reply, isSecure).read('session') : null;
  }

  /** Who is it, and may they? Notes the person behind a call, and fails with 401 or 403 when they may not make it. */
  async function letIn(request: FastifyRequest, reply: FastifyReply, route: Route, as: 'counted' | 'again'): Promise<void> {
    const token = cookiesOf(request, reply, isSecure).read('session');
    const { who, denied, strangerAfterMs: patienceMs } = route.access;
    const found = token === null || patienceMs === 0 ? null : callerOf(context.db, token, context.now());
    const caller = await (found === null || patienceMs === undefined ? found : answeredWithin(patienceMs, found, null));
    if (caller === null) callers.delete(request);
    else callers.set(request, caller);
    if (who === 'anyone') return;
    if (caller === null) throw new HttpError(401, texts.notAuthenticated);
    if (as === 'counted') {
      rate.spend(caller.id, isChange(route), context.now().getTime());
      if (!isChange(route)) onceSent(request, reply, open.enter(caller.id));
    }
    if (who !== 'all' && !who.includes(caller.role)) {
      const call = { address: clientAddress(request), requestId: request.id, now: context.now() };
      await deniedCalls.note(context.db, call, caller, route.id);
      throw new HttpError(403, denied ?? texts.adminRequired);
    }
    if (route.access.stepUp === true) requireStepUp(caller, context.now());
  }

  async function linesFor(request: FastifyRequest, reply: FastifyReply, route: Route, answer: LinesAnswer): Promise<Readable> {
    const hungUp = new AbortController();
    reply.raw.once('close', () => hungUp.abort());
    // The caller was promised that the connection stays; it would be waited for.
    reply.raw.once('finish', () => closing.signal.aborted && request.raw.socket.destroySoon());
    const token = cookiesOf(request, reply, isSecure).read('session');
    const lines = await streamOfLines(answer, {
      route,
      pace: context.follow,
      async again() {
        const now = context.now();
        const caller = token === null ? null : await callerOf(context.db, token, now);
        if (caller === null || caller.id !== callers.get(request)?.id) return null;
        rate.spend(caller.id, false, now.getTime());
        return { caller, now };
      },
      signal: AbortSignal.any([hungUp.signal, closing.signal]),
      onError(error) {
        if (!(error instanceof HttpError)) request.log.error({ err: error }, 'a line of an answer could not be made');
      },
    });
    // A proxy in front is asked not to collect the lines.
    reply
      .type(route.replyType ?? 'application/x-ndjson')
      .header('X-Accel-Buffering', 'no')
      .header('Vary', 'Accept-Encoding');
    if (!/\bgzip\b/u.test(request.headers['accept-encoding'] ?? '')) return lines;
    reply.header('Content-Encoding', 'gzip');
    return compressedLines(lines);
  }
}

/** What the framework checks and documents: input, answers, and each error as `{ detail }`. */
function schemaOf(name: string, route: Route): Record<string, unknown> {
  const response: Record<string, z.ZodType> = { [route.status ?? 200]: route.reply };
  for (const [status, lines] of Object.entries(route.errors)) {
    response[status] = z.object({ detail: z.string() }).describe((lines ?? []).join(' | '));
  }
  return {
    operationId: name,
    summary: route.summary,
    description: `${route.id}. Callers: ${typeof route.access.who === 'string' ? route.access.who : route.access.who.join(', ')}.`,
    tags: [route.path.split('/')[1] ?? ''],
    security: route.access.who === 'anyone' ? [] : [{ session: [] }],
    ...(route.params === undefined ? {} : { params: route.params }),
    ...(route.query === undefined ? {} : { querystring: route.query }),
    ...(route.body === undefined ? {} : { body: route.body }),
    response,
  };
}

/** Refuses a query that names a key twice: what reads the first and what reads the last would not agree on what was asked. */
function refuseRepeatedKeys(query: unknown): void {
  if (Object.values(query ?? {}).some(Array.isArray)) throw new HttpError(400, texts.invalidRequest);
}

/** Refuses text that PostgreSQL cannot keep: a NUL character or half a surrogate pair. */
function refuseOddText(value: unknown, depth = 0): void {
  if (depth > 20) throw new HttpError(400, texts.invalidRequest);
  if (typeof value === 'string') {
    if (value.includes('\u0000') || !value.isWellFormed()) throw new HttpError(400, texts.invalidRequest);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      refuseOddText(key, depth + 1);
      refuseOddText(part, depth + 1);
    }
  }
}

/** The version that a change is made for, out of `If-Match: "7"`. */
function versionOf(header: string | undefined): number | null {
  const digits = /^"(\d{1,9})"$/u.exec(header ?? '')?.[1];
  if (header !== undefined && digits === undefined) throw new HttpError(400, texts.invalidRequest);
  return digits === undefined ? null : Number(digits);
}
