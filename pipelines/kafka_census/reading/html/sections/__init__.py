"""The sections of the page below the problems: one module per section, in the order of the page."""

from kafka_census.reading.html.figure import Section
from kafka_census.reading.html.sections.brokers import BROKERS
from kafka_census.reading.html.sections.changes import CHANGES
from kafka_census.reading.html.sections.clean_up import CLEAN_UP
from kafka_census.reading.html.sections.coordinators import COORDINATORS
from kafka_census.reading.html.sections.lag import LAG
from kafka_census.reading.html.sections.min_isr import MIN_ISR
from kafka_census.reading.html.sections.moves import MOVES
from kafka_census.reading.html.sections.not_read import NOT_READ
from kafka_census.reading.html.sections.quality import QUALITY

SECTIONS: tuple[Section, ...] = (
    CHANGES,
    COORDINATORS,
    MIN_ISR,
    BROKERS,
    MOVES,
    LAG,
    CLEAN_UP,
    NOT_READ,
    QUALITY,
)
