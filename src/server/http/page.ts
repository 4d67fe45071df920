import { texts } from '#contract/errors.ts';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cspReportPath } from './csp-reports.ts';
import { HttpError } from './http-error.ts';
import type { PublicAddress } from './origin.ts';
import { isKnownHost } from './origin.ts';
import { refusePlainHttp } from './plain-http.ts';

const unlisted = { schema: { hide: true } }; // not a call: the documentation of the calls leaves it out

/** Serves the built page from `folder`: its files for a year, as their names change with them, and the page itself afresh. */
export async function servePage(app: FastifyInstance, folder: string): Promise<void> {
  const file = join(folder, 'index.html');
  if (!existsSync(file)) throw new Error(`The page is not built: ${file} is missing. Run "npm run build".`);
  const page = readFileSync(file, 'utf8');

  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    index: false,
    setHeaders(reply, path) {
      if (modulesWorker.test(path)) void reply.header('Content-Security-Policy', modulesWorkerPolicy);
    },
  });

  // What lies beside the page, such as its icon.
  for (const name of readdirSync(folder)) {
    if (name === 'index.html' || name === 'assets' || name.startsWith('.')) continue;
    app.get(`/${name}`, unlisted, (_, reply) => reply.sendFile(name, folder, { maxAge: '1h', immutable: false }));
  }

  const send = (_: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .header('Content-Security-Policy', pagePolicy(nonce))
      .header('Cache-Control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('__CSP_NONCE__', nonce));
  };
  // Every path that is neither a file, nor hidden, nor a call is the page: the browser's router decides.
  for (const path of ['/', '/login', '/register', '/verify-email', '/2fa', '/reset-password']) app.get(path, unlisted, send);
  app.get('/*', unlisted, (request, reply) => {
    const { '*': path } = request.params as { '*': string }; // with its escapes resolved, as the routes are matched
    if (path === 'api' || path.startsWith('api/') || /\.\w{1,5}$|(?:^|\/)\./u.test(path)) return reply.callNotFound();
    return send(request, reply);
  });
}

/** The file of the worker that loads strategies as modules. */
const modulesWorker = /[\\/]what-if-worker-[^\\/]*\.js(?:\.br|\.gz)?$/u;

/** It may load modules from here, and reach nothing else. */
const modulesWorkerPolicy = "default-src 'none'; script-src 'self'; frame-ancestors 'none'";

/** Headers of every answer, however it came about; the page and its files set some of their own. */
export const guardHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  // For whatever is asked, however its address is spelled.
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Puts the headers on every answer, and refuses a host name that is not ours and what came in the clear. */
export function guardAnswers(app: FastifyInstance, address: PublicAddress, trustedProxies: readonly string[]): void {
  const refusePlain = refusePlainHttp(address, trustedProxies);
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(guardHeaders);
    if (address.publicUrl?.protocol === 'https:') void reply.header('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    if (hostCount(request) !== 1) {
      void reply.header('Connection', 'close');
      throw new HttpError(400, texts.invalidRequest);
    }
    const { host = '' } = request.headers;
    if (!isKnownHost(host, address)) throw new HttpError(403, 'This address is not served here');
    return refusePlain(request, reply) ?? undefined;
  });
}

/** How many hosts a request names. Node gives the first one alone; a proxy in front may have gone by the last. */
function hostCount({ raw }: FastifyRequest): number {
  return raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
}

function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `report-uri ${cspReportPath}`,
  ].join('; ');
}
