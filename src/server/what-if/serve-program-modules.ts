import { modulesPath, type ProgramModules } from '#strategy-process/browser/program-modules.ts';
import type { FastifyInstance } from 'fastify';
import { HttpError } from '../http/http-error.ts';
import { texts } from '#contract/errors.ts';

/** Serves modules of the program, which everybody may read, to the worker that replays strategies: for a year, as their address changes with them. */
export function serveProgramModules(app: FastifyInstance, programModules: () => ProgramModules): void {
  app.get(`${modulesPath}/:hash/*`, { schema: { hide: true } }, (request, reply) => {
    const { hash, '*': path } = request.params as { hash: string; '*': string };
    const modules = programModules();
    const text = hash === modules.hash ? modules.text(path) : null;
    if (text === null) throw new HttpError(404, texts.notFound);
    return reply.type('text/javascript; charset=utf-8').header('Cache-Control', 'public, max-age=31536000, immutable').send(text);
  });
}
