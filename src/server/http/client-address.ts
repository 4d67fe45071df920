import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';

/**
 * The address of the person who calls: the connection's, or behind a trusted proxy the one that the proxy names.
 *
 * People are counted by it, so a proxy that adds a port (some do) must not make every connection a new person, and what
 * is not an address at all must not count: then it is the connection's.
 */
export function clientAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // A connection that has ended before its call is handled has no address any more, whatever the type says.
  const named = (request.ip as string | undefined) ?? '';
  if (isIP(named) !== 0) return named;
  const bare = /^\[([^\]]{1,45})\](?::\d{1,5})?$/u.exec(named)?.[1] ?? named.replace(/:\d{1,5}$/u, '');
  return isIP(bare) !== 0 ? bare : (request.socket.remoteAddress ?? '');
}
