import './zod-without-eval.ts';
import '@fontsource-variable/inter';
import '@mantine/core/styles.css';
import './ui/ui.css';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { App } from './app.tsx';
import { readCspNonce, shareCspNonce } from './csp-nonce.ts';
import { loadAhead } from './load-ahead.ts';
import { followOtherTabs } from './session/other-tabs.ts';
import { startSession } from './session/session-check.ts';
import { sessionStore } from './session/session-store.ts';
import { applyTheme } from './session/theme-store.ts';
import { allowStyleText } from './trusted-types.ts';

allowStyleText();
shareCspNonce(readCspNonce());
applyTheme();
if (sessionStore.getState().user !== null) loadAhead(window.location); // who was signed in here most likely still is
void startSession(window.location.pathname);
followOtherTabs();

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <BrowserRouter>
      <App />
    </BrowserRouter>,
  );
}
