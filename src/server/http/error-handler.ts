import { texts } from '#contract/errors.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { HttpError } from './http-error.ts';

/** Makes every error of the server `{ "detail": "..." }`. The only place where an error becomes an answer. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    void request;
    return reply.status(404).send({ detail: texts.notFound });
  });
}

/** Answers an error: known ones with their own text, all others with the general one, logged with their cause. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof HttpError) {
    // Something of ours or behind us failed: the caller gets our words, the log the cause.
    if (error.status >= 500 && error.cause !== undefined) request.log.error({ err: error.cause }, 'a call could not be done');
    if (error.retryAfterSeconds !== null) void reply.header('Retry-After', String(Math.max(1, error.retryAfterSeconds)));
    return reply.status(error.status).send({ detail: error.message });
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    return reply.status(400).send({ detail: error.validation[0]?.message ?? texts.invalidRequest });
  }
  if (error instanceof ExchangeError) {
    request.log.warn({ err: error }, 'an exchange could not be asked');
    return reply.status(502).send({ detail: texts.exchangeUnreachable });
  }
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
  // The framework's own refusals: a body that is not JSON, too long, of another type.
  if (status >= 400 && status < 500) return reply.status(400).send({ detail: texts.invalidRequest });
  request.log.error({ err: error }, 'a call failed');
  return reply.status(500).send({ detail: texts.general });
}
