import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlockList, isIP } from 'node:net';
import { HttpError } from './http-error.ts';
import type { PublicAddress } from './origin.ts';

/**
 * Refuses what came over the network without encryption where people are to come over https: calls with 403, because a
 * redirect would hide that a password was just sent in the clear; pages with the way to https.
 */
export function refusePlainHttp(
  address: PublicAddress,
  trustedProxies: readonly string[],
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null {
  const { publicUrl } = address;
  const near = nearOnes(trustedProxies);
  return (request, reply) => {
    if (publicUrl?.protocol !== 'https:' || !cameInTheClear(request, near)) return null;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || isCall(request.url)) throw new HttpError(403, 'This server is reached over https only');
    // What begins with a slash stays on the host, however it continues.
    return reply.redirect(`${publicUrl.origin}${request.url.startsWith('/') ? request.url : '/'}`, 308);
  };
}

/**
 * Whether a request came without encryption, as far as can be known. A proxy that says so is believed, whichever it is; one that
 * says the opposite, or nothing, only when it is a trusted one or on this machine.
 */
function cameInTheClear({ headers, socket }: FastifyRequest, near: BlockList): boolean {
  const scheme = [headers['x-forwarded-proto'] ?? []].flat().at(-1)?.split(',').at(-1)?.trim().toLowerCase();
  if (scheme !== undefined && scheme !== 'https') return true;
  const peer = socket.remoteAddress ?? '';
  const family = isIP(peer);
  return family === 0 || !near.check(peer, family === 4 ? 'ipv4' : 'ipv6');
}

function nearOnes(trustedProxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ['127.0.0.0/8', '::1', ...trustedProxies]) {
    const [network = '', length] = range.split('/');
    const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    if (length === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(length), family);
  }
  return list;
}

function isCall(url: string): boolean {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return /^\/+api(\/|$)/u.test(decodeURIComponent(path));
  } catch {
    return true; // not a page either
  }
}
