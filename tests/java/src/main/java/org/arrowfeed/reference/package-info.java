/** Writes Avro files with Java's Avro, and beside each what Java's Avro reads from it, as plain JSON. */
package org.arrowfeed.reference;
