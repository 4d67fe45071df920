import { minuteMs } from '#engine/market/durations.ts';
import type { FastifyInstance } from 'fastify';

/** Where browsers report what the content policy of the page has stopped. */
export const cspReportPath = '/api/csp-reports';

const mostPerMinute = 20;
const longest = 300;

/**
 * Takes reports of browsers about what the content policy has stopped, and logs them: a library that does what it should not, or
 * somebody's attempt. Anybody may send one, so that a minute has room for few, all senders together, and a line of the log
 * holds a few short texts of it.
 */
export function takeCspReports(app: FastifyInstance, now: () => Date): void {
  let minute = 0;
  let count = 0;
  void app.register(async (scope) => {
    scope.addContentTypeParser(['application/csp-report', 'application/reports+json'], { parseAs: 'string' }, (_, body, done) => {
      try {
        done(null, JSON.parse(body as string));
      } catch {
        done(Object.assign(new Error('not JSON'), { statusCode: 400 }));
      }
    });
    scope.post(cspReportPath, { schema: { hide: true }, bodyLimit: 16_384 }, (request, reply) => {
      const current = Math.floor(now().getTime() / minuteMs);
      count = current === minute ? count + 1 : 1;
      minute = current;
      if (count > mostPerMinute) return reply.status(429).header('Retry-After', '60').send();
      for (const report of reportsIn(request.body).slice(0, 3))
        request.log.warn({ cspReport: report }, 'the content policy stopped something');
      return reply.status(204).send();
    });
  });
}

/** The reports in a body: one under `csp-report`, as browsers have long sent them, or a list, as newer ones do. */
function reportsIn(body: unknown): Record<string, string>[] {
  const found = Array.isArray(body) ? body.map((each) => field(each, 'body')) : [field(body, 'csp-report')];
  return found.filter(isTable).map((report) => ({
    directive: textOf(report['effective-directive'] ?? report['effectiveDirective'] ?? report['violated-directive']),
    blocked: withoutQuery(textOf(report['blocked-uri'] ?? report['blockedURL'])),
    page: withoutQuery(textOf(report['document-uri'] ?? report['documentURL'])),
    source: withoutQuery(textOf(report['source-file'] ?? report['sourceFile'])),
  }));
}

function field(value: unknown, name: string): unknown {
  return isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, longest) : '';
}

/** An address without what comes after its path: a query may hold what is nobody's business. */
function withoutQuery(address: string): string {
  return address.split(/[?#]/u, 1)[0] ?? '';
}
