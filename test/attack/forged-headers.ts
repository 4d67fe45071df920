import type { Callers } from './callers.ts';

/** Headers by which some server somewhere has believed who is calling, from where, and what. */
export function forgedHeaders(callers: Callers): Record<string, string> {
  const admin = callers.of('admin');
  return {
    'x-role': 'admin',
    'x-user-role': 'admin',
    'x-user-id': admin.owns?.user ?? '',
    'x-user-email': admin.email,
    'x-forwarded-user': admin.email,
    'x-remote-user': admin.email,
    'x-forwarded-for': '127.0.0.1',
    'x-real-ip': '127.0.0.1',
    forwarded: 'for=127.0.0.1;by=127.0.0.1',
    'x-original-url': '/api/auth/me',
    'x-rewrite-url': '/api/auth/me',
    'x-http-method-override': 'GET',
    authorization: `Bearer ${admin.owns?.session ?? ''}`,
    'x-session-id': admin.owns?.session ?? '',
    'x-admin': 'true',
  };
}
