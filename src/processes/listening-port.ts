import { createServer } from 'node:net';

/** Why nothing can listen on an address, and the sentence for the person. */
export interface PortFault {
  isTaken: boolean; // another program listens there
  sentence: string;
}

/** Tries to listen on an address for a moment; null when that works. */
export async function portFault(host: string, port: number): Promise<PortFault | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const sentence =
        code === 'EADDRINUSE'
          ? `Port ${port} is in use, perhaps by Flotilla itself. Set PORT to another one.`
          : code === 'EACCES'
            ? `Port ${port} may not be used by this user. Set PORT to one above 1023.`
            : `Nothing can listen on ${host}: ${message}. Set HOST to an address of this machine.`;
      resolve({ isTaken: code === 'EADDRINUSE', sentence });
    });
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}
