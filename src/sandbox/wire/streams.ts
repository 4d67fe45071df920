import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { secondMs } from '#engine/market/durations.ts';
import { isOwnCaller } from './caller-guard.ts';
import type { SocketFaults } from './faults.ts';
import { FrameFaults } from './frame-faults.ts';
import { createTopic, type SocketKind, type Topic } from './topics.ts';
import { futuresUserSocket, spotUserSocket, type UserSocket } from './user-socket.ts';
import type { World } from './world.ts';

/** Sockets that listen to an account. */
type UserKind = 'spot-user' | 'futures-user';

interface Connection {
  socket: WebSocket;
  path: string;
  kind: SocketKind | UserKind;
  user: UserSocket | null; // of a socket that listens to an account
  streams: Set<string>;
  silent: boolean;
  messageTimes: number[]; // of the last second
}

interface LiveTopic {
  topic: Topic;
  kind: SocketKind;
  subscribers: Set<Connection>;
}

/** The websocket side of the sandbox. */
export interface Streams {
  readonly faults: SocketFaults;
  /** Ends all socket faults. */
  clearFaults(): void;
  /** Open sockets and the streams subscribed on them. */
  counts(): { sockets: number; subscriptions: number };
  close(): void;
}

/** Time between two rounds of frames, in ms of machine time: at normal speed the market makes 2.5 ticks a second. */
const passMs = 200;
const mostStreams = 1024; // on one socket, as the exchange allows
const messagesPerSecond: Record<SocketKind | UserKind, number> = {
  spot: 5,
  'futures-public': 10,
  'futures-market': 10,
  'spot-user': 10,
  'futures-user': 10,
};

/** Serves the streams on the given HTTP server. Ticks are computed only while a stream is subscribed. */
export function serveStreams(world: World, server: Server): Streams {
  const sockets = new WebSocketServer({ noServer: true, autoPong: false, maxPayload: 262_144 });
  const connections = new Set<Connection>();
  const topics = new Map<string, LiveTopic>();
  let timer: NodeJS.Timeout | null = null;
  let silencedPath: string | null = null;
  let refusals = 0;
  const frameFaults = new FrameFaults();
  let follower: NodeJS.Timeout | null = null; // while a socket listens to an account

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = request.url ?? '/';
    const kind = socketKind(path);
    const isOwn = isOwnCaller(request);
    if (refusals > 0 || kind === null || !isOwn) {
      if (kind !== null && isOwn) refusals -= 1;
      socket.on('error', () => socket.destroy()); // a caller that does not wait for the answer must not end the process
      const status = !isOwn ? '403 Forbidden' : kind === null ? '404 Not Found' : '503 Service Unavailable';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => accept(accepted, path, kind));
  });

  const accept = (socket: WebSocket, path: string, kind: SocketKind | UserKind) => {
    const silent = silencedPath !== null && path.includes(silencedPath);
    const connection: Connection = { socket, path, kind, user: null, streams: new Set(), silent, messageTimes: [] };
    if (kind === 'spot-user' || kind === 'futures-user') {
      const send = (frame: string) => deliver(connection, frame);
      connection.user = kind === 'spot-user' ? spotUserSocket(world, send) : futuresUserSocket(world, path, send);
      if (connection.user === null) return socket.close(1008, 'Invalid listen key'); // unknown, or over
      follower ??= setInterval(follow, passMs).unref();
    }
    connections.add(connection);
    socket.on('message', (data) => receive(connection, (data as Buffer).toString('utf8')));
    socket.on('ping', (data) => {
      if (!connection.silent) socket.pong(data);
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      connections.delete(connection);
      connection.user?.end();
      if (follower !== null && [...connections].every(({ user }) => user === null)) {
        clearInterval(follower);
        follower = null;
      }
      for (const name of connection.streams) unsubscribe(connection, name);
    });
  };

  const follow = () => {
    world.accounts.follow();
    for (const { user } of connections) user?.check();
  };

  const receive = (connection: Connection, text: string) => {
    if (connection.silent) return;
    const now = performance.now();
    connection.messageTimes = [...connection.messageTimes.filter((time) => now - time < secondMs), now];
    if (connection.messageTimes.length > messagesPerSecond[connection.kind]) {
      connection.socket.close(1008, 'Too many requests');
      return;
    }
    connection.socket.send(connection.user?.receive(text) ?? JSON.stringify(answerTo(connection, text)));
  };

  const answerTo = (connection: Connection, text: string): unknown => {
    const request = parseRequest(text);
    if (request === null) return { error: { code: 3, msg: 'Invalid JSON: expected an object with method, params and id' } };
    const { id, method, params } = request;
    if (method === 'LIST_SUBSCRIPTIONS') return { result: [...connection.streams], id };
    if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE')
      return { error: { code: 2, msg: `Invalid request: unknown method ${method}` }, id };
    for (const name of params) {
      if (method === 'UNSUBSCRIBE') unsubscribe(connection, name);
      else if (!subscribe(connection, name)) return { error: { code: 2, msg: 'Invalid request: invalid stream' }, id };
    }
    return { result: null, id };
  };

  const subscribe = (connection: Connection, name: string): boolean => {
    if (connection.streams.has(name)) return true;
    if (connection.streams.size >= mostStreams || connection.kind === 'spot-user' || connection.kind === 'futures-user') return false;
    const key = `${connection.kind} ${name}`;
    let live = topics.get(key);
    if (live === undefined) {
      const topic = createTopic(world, connection.kind, name);
      if (topic === null) return false;
      live = { topic, kind: connection.kind, subscribers: new Set() };
      topics.set(key, live);
      timer ??= setInterval(pass, passMs).unref();
    }
    live.subscribers.add(connection);
    connection.streams.add(name);
    return true;
  };

  const unsubscribe = (connection: Connection, name: string) => {
    connection.streams.delete(name);
    const key = `${connection.kind} ${name}`;
    const live = topics.get(key);
    live?.subscribers.delete(connection);
    if (live === undefined || live.subscribers.size > 0) return;
    live.topic.end();
    topics.delete(key);
    if (topics.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };

  const pass = () => {
    const now = world.clock.now();
    for (const { topic, subscribers } of topics.values()) {
      for (const frame of topic.frames(now)) {
        for (const connection of subscribers) deliver(connection, frame);
      }
    }
  };

  const deliver = (connection: Connection, frame: string) => {
    if (connection.silent || connection.socket.readyState !== connection.socket.OPEN) return;
    // A listener that does not read is cut off instead of filling the memory.
    if (connection.socket.bufferedAmount > 8_000_000) return connection.socket.terminate();
    for (const each of frameFaults.pass(connection.path, frame)) connection.socket.send(each);
  };

  const subscriptions = () => [...connections].reduce((sum, { streams }) => sum + streams.size, 0);
  const socketsOn = (path: string) => [...connections].filter((connection) => connection.path.includes(path));
  return {
    faults: {
      drop: (path = '') => socketsOn(path).map(({ socket }) => socket.terminate()).length,
      close: (code = 1001, path = '') => socketsOn(path).map(({ socket }) => socket.close(code)).length,
      endStreams(pair) {
        const before = subscriptions();
        for (const connection of connections)
          for (const name of connection.streams) if (name.startsWith(`${pair.toLowerCase()}@`)) unsubscribe(connection, name);
        return before - subscriptions();
      },
      silence(path = '') {
        silencedPath = path;
        for (const connection of socketsOn(path)) connection.silent = true;
      },
      duplicate: (frames, path = '') => frameFaults.add('duplicate', frames, path),
      gap: (frames, path = '') => frameFaults.add('gap', frames, path),
      reorder: (frames, path = '') => frameFaults.add('reorder', frames, path),
      refuse: (times) => {
        refusals = times;
      },
    },
    clearFaults() {
      silencedPath = null;
      refusals = 0;
      frameFaults.clear();
      for (const connection of connections) connection.silent = false;
    },
    counts: () => ({ sockets: connections.size, subscriptions: subscriptions() }),
    close() {
      if (follower !== null) clearInterval(follower);
      for (const { user } of connections) user?.end();
      if (timer !== null) clearInterval(timer);
      for (const { socket } of connections) socket.terminate();
      sockets.close();
    },
  };
}

/** Which kind of socket a path opens. ccxt distinguishes spot from futures by the word `/stream`. */
function socketKind(path: string): SocketKind | UserKind | null {
  if (path.startsWith('/ws-api/v3')) return 'spot-user';
  if (path.startsWith('/private/ws')) return 'futures-user';
  if (path.startsWith('/stream/ws')) return 'spot';
  if (path.startsWith('/public/ws')) return 'futures-public';
  if (path.startsWith('/market/ws')) return 'futures-market';
  return null;
}

function parseRequest(text: string): { id: unknown; method: string; params: string[] } | null {
  try {
    const { id = null, method, params = [] } = JSON.parse(text) as { id?: unknown; method?: unknown; params?: unknown };
    if (typeof method !== 'string' || !Array.isArray(params)) return null;
    return { id, method, params: params.map(String) };
  } catch {
    return null;
  }
}
