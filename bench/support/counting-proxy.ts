import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** Stands between a browser and a server and counts what passes, headers and all. */
export interface CountingProxy {
  port: number;
  /** Bytes so far: sent by the browser, received by it. */
  bytes(): { sent: number; received: number };
  close(): void;
}

/** Starts one in front of a port of this machine. */
export async function startCountingProxy(target: number): Promise<CountingProxy> {
  const count = { sent: 0, received: 0 };
  const open = new Set<Socket>();
  const server = createServer((browser) => {
    const behind = connect(target, '127.0.0.1');
    const pass = (from: Socket, to: Socket, direction: keyof typeof count): void => {
      open.add(from);
      from.on('data', (data) => {
        count[direction] += data.length;
        to.write(data);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    };
    pass(browser, behind, 'sent');
    pass(behind, browser, 'received');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => ({ ...count }),
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
