/** What `npm start` runs. */
import { serve } from './serve.ts'

await serve()
