import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';

/** A way to a database that can be closed: its connections stay open, and nothing gets through. */
export interface DatabaseGate {
  url: string; // of the database, through the gate
  readonly begun: readonly string[]; // what each connection has said first: the settings that it asks for
  shut(): void;
  strand(): void; // its connections lead nowhere any more; new ones get through
  open(): void; // what was sent meanwhile arrives now, also from somebody who has given up waiting for an answer
  end(): void;
}

/** See `DatabaseGate`; `url` is that of the database itself, at a port or a folder with a socket. */
export async function databaseGate(url: string): Promise<DatabaseGate> {
  const target = new URL(url);
  const folder = target.searchParams.get('host') ?? decodeURIComponent(target.hostname);
  const port = Number(target.port || 5432);
  const toDatabase = (): Socket => (folder.startsWith('/') ? connect(join(folder, `.s.PGSQL.${port}`)) : connect(port, folder));
  let isShut = false;
  const begun: string[] = [];
  const pairs = new Map<Socket, Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const database = toDatabase();
    pairs.set(socket, database);
    socket.once('data', (bytes) => void begun.push(bytes.toString('latin1')));
    relay(socket, database);
    relay(database, socket);
  });

  function relay(from: Socket, to: Socket): void {
    if (isShut) from.pause();
    from.on('data', (bytes) => void to.write(bytes));
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => pairs.delete(from));
  }

  const each = (): Socket[] => [...pairs].flat();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.searchParams.delete('host');
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  const strand = (): void => {
    for (const socket of each()) socket.pause();
  };
  return {
    url: through.href,
    begun,
    shut() {
      isShut = true;
      strand();
    },
    strand,
    open() {
      isShut = false;
      for (const socket of each()) socket.resume();
    },
    end() {
      server.close();
      for (const socket of each()) socket.destroy();
    },
  };
}
