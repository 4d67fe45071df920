import { isReachable } from '#outbound/channels/channel-target.ts';
import { sendToChannel } from '#outbound/channels/send-to-channel.ts';
import { publicLookup } from '#outbound/public-lookup.ts';
import type { Reach } from '#outbound/public-request.ts';
import type { ServerDependencies } from '#server/server-dependencies.ts';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll } from 'vitest';
import { certificates } from './mail-box.ts';
import { patienceMs } from './patience.ts';
import { testPushSender } from './test-browser-subscription.ts';

/** A request as it arrived. */
export interface Arrived {
  url: string; // host and path
  headers: IncomingHttpHeaders;
  body: string;
  bytes: Buffer; // of the body
}

/** How the host answers a request. */
export type HostAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** A real server over TLS on loopback that stands where Telegram, Discord, Slack, ntfy, push services and hooks.harbour.trade are. */
export interface ChannelHost {
  arrived: Arrived[];
  reach: Reach; // leads every name here
  /** How requests are answered from now on: with a status, or by a function. */
  answer(with_: number | HostAnswer): void;
}

/** What a server needs to send to the host: its names are public when they are looked up, and lead here when something is sent. */
export function sendingTo(
  { reach }: ChannelHost,
  now: () => Date = () => new Date(),
): Pick<ServerDependencies, 'sendToChannel' | 'isReachable'> {
  return {
    sendToChannel: (target, delivery) => sendToChannel(target, delivery, { at: now(), push: testPushSender }, reach),
    isReachable: (target) =>
      isReachable(
        target,
        publicLookup(async () => [{ address: '52.1.2.3', family: 4 }]),
      ),
  };
}

/** Opens the host for a test file; it is closed after it. */
export async function openChannelHost(): Promise<ChannelHost> {
  const systems = getCACertificates('default');
  setDefaultCACertificates([...systems, readFileSync(join(certificates, 'channels-authority.pem'), 'utf8')]);
  const arrived: Arrived[] = [];
  let answer: HostAnswer = (response) => void response.writeHead(200).end();
  const tls = { key: readFileSync(join(certificates, 'channels.key')), cert: readFileSync(join(certificates, 'channels.pem')) };
  const server = createServer(tls, (request, response) => {
    void (async () => {
      const { headers, url } = request;
      arrived.push({ url: `${headers.host}${url}`, headers, ...(await bodyOf(request)) });
      answer(response, request);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    setDefaultCACertificates(systems);
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const address = server.address();
  return {
    arrived,
    reach: {
      port: typeof address === 'object' && address !== null ? address.port : 0,
      deadlineMs: patienceMs,
      lookup: (_, options, done) => (options.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)),
    },
    answer: (with_) => void (answer = typeof with_ === 'number' ? (response) => void response.writeHead(with_).end() : with_),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Pick<Arrived, 'body' | 'bytes'>> {
  const bytes = await buffer(request);
  return { body: bytes.toString('utf8'), bytes };
}
