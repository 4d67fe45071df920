import type { Route } from '#contract/route.ts';
import type { RouteName } from '#contract/routes.ts';
import { routes } from '#contract/routes.ts';
import type { ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import type { TestServer } from '../support/test-server.ts';
import { origin } from '../support/test-server.ts';
import type { JsonSchema } from './json-schema.ts';
import { toDraft7 } from './json-schema.ts';

/** A parameter of an operation, in its path or in its query. */
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: JsonSchema;
}

/** An operation as the document of the API describes it, with the line of the contract that it comes from. */
export interface Operation {
  name: RouteName;
  route: Route;
  url: string; // '/api/bots/{id}'
  parameters: readonly Parameter[];
  body: JsonSchema | null;
  replies: ReadonlyMap<number, ValidateFunction | null>; // by status; null: not JSON
}

interface Documented {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}

/** Every operation of the document that the server itself gives. */
export async function readOperations(server: TestServer): Promise<Operation[]> {
  const reply = await server.app.inject({ url: '/api/openapi.json', headers: { host: new URL(origin).host } });
  const { paths } = reply.json<{ paths: Record<string, Record<string, Documented>> }>();
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const json = (content: Record<string, { schema: unknown }> | undefined): JsonSchema | null => {
    const schema = content?.['application/json']?.schema;
    return schema === undefined ? null : (toDraft7(schema) as JsonSchema);
  };
  return Object.entries(paths).flatMap(([url, methods]) =>
    Object.values(methods).map((operation) => {
      const name = operation.operationId as RouteName;
      const replies = Object.entries(operation.responses).map(([status, { content }]) => {
        const schema = json(content);
        return [Number(status), schema === null ? null : ajv.compile(schema)] as const;
      });
      return {
        name,
        route: routes[name],
        url,
        parameters: (operation.parameters ?? []).map((parameter) => ({ ...parameter, schema: toDraft7(parameter.schema) as JsonSchema })),
        body: json(operation.requestBody?.content),
        replies: new Map(replies),
      };
    }),
  );
}
