import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onReconnect } from './api/connection.ts';
import { createQueryClient } from './api/query-client.ts';
import { readCspNonce } from './csp-nonce.ts';
import { Pages } from './pages.tsx';
import { sessionStore } from './session/session-store.ts';
import { useTheme } from './session/theme-store.ts';
import { cssVariables, theme } from './theme.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { forgetAll } from './ui/forget-when-left.ts';
import { Toasts } from './ui/toasts.tsx';

/** The application below a router. Server data and what was typed are forgotten when the person changes. */
export function App() {
  const colorScheme = useTheme();
  const [queryClient] = useState(createQueryClient);
  useEffect(
    () =>
      sessionStore.subscribe((now, before) => {
        if (now.isAuthenticated === before.isAuthenticated && now.user?.userId === before.user?.userId) return;
        queryClient.clear();
        forgetAll();
      }),
    [queryClient],
  );
  // After an outage everything on the screen is loaded again, so that no page has to be reloaded by hand.
  useEffect(() => onReconnect(() => void queryClient.invalidateQueries()), [queryClient]);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} forceColorScheme={colorScheme} getStyleNonce={readCspNonce}>
      <QueryClientProvider client={queryClient}>
        <Toasts />
        <ErrorBoundary>
          <Pages />
        </ErrorBoundary>
      </QueryClientProvider>
    </MantineProvider>
  );
}
