// Loaded before the sandbox (`--import`): notes when a request that places an order is received, with the id of the order.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { momentFile } from './order-times.ts';

const note = momentFile(process.env['MOMENTS_TO'] ?? '');
const places = ['/api/v3/order', '/fapi/v1/order', '/fapi/v1/algoOrder'];

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage };
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (request.method !== 'POST' || !places.includes(path)) return;
  let text = `${query}&`;
  request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  request.on('end', () => {
    const fields = new URLSearchParams(text);
    // At its end: only then is the last byte here.
    const order = fields.get('newClientOrderId') ?? fields.get('clientAlgoId');
    if (order !== null) note(order, 'received');
  });
});
