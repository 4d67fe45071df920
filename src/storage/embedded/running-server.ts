import { livingServer } from './lock-file.ts';
import { productRole } from './access-rules.ts';
import { embeddedData } from './server-place.ts';
import { socketPort } from './socket-folder.ts';

/** The address of the embedded database of `home` while it runs, for another process of the product; null when it does not. Nothing is started. */
export function runningServerUrl(home: string): string | null {
  const data = embeddedData(home);
  const server = data === null ? null : livingServer(data);
  return server?.socketFolder === undefined || server.socketFolder === null ? null : serverUrl(server.socketFolder);
}

/** The address of the server of a socket folder, as the role that the product works as. */
export function serverUrl(sockets: string): string {
  return `postgresql://${productRole}@localhost:${socketPort}/postgres?host=${encodeURIComponent(sockets)}`;
}
