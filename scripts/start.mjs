// npm start: set up what is missing, then run the product until it is stopped.
import { runProduct } from './run-product.mjs';
import { ensureBuilt, ensureInstalled } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
runProduct(['serve', ...process.argv.slice(2)]);
