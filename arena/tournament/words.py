"""Words for pseudonyms: short, friendly, easy to pronounce and to distinguish.

Data only. Whoever changes a word changes the pseudonyms of everybody: add none, take none away.
"""

from __future__ import annotations

FIRST_WORDS = """
able active agile airy amber ample ancient arctic artful autumn azure balmy bashful blazing
blithe bold bouncy brainy brave breezy brief bright brisk bronze bubbly busy calm candid
carefree careful caring casual cheerful chilly civil classic clean clear clever cloudy coastal
comic cool copper coral cosmic cosy crafty creamy crimson crisp curious curly dancing dapper
daring dashing dazzling deep deft devoted dewy diligent distant dreamy droll dusty eager early
earnest eastern easy elated elegant emerald endless epic even exact fabled fair faithful famous
fancy fast fearless festive fiery fine firm flashy fleet floral fluffy flying fond formal frank
free fresh friendly frosty funny gallant gentle gifted giggly glad gleaming global glossy
glowing golden good graceful grand grateful green handy happy hardy hazel hearty helpful hidden
honest hopeful humble humming hungry icy ideal indigo inky ivory jaunty jazzy jolly jovial
joyful keen kind kindly lasting laughing lavish leafy learned level light lilac lively local
lofty loyal lucky lunar magic major marble married mellow merry mighty mild minty misty modern
modest mossy musical mystic neat nimble noble northern olive open orange outer patient pearly
peppy perky placid playful plucky polar polite proud prudent punctual purple quaint quick quiet
radiant rapid rare ready regal relaxed restful rich roaming robust rosy round royal ruby rugged
rural rustic sandy scarlet scenic secret serene sharp shiny silent silken silver simple sincere
skilful sleek smart smiling smooth snappy snowy social soft solar solemn solid sonic spicy
spotted spry stable starry steady stellar sturdy subtle sunny super swift tall tame tender
thankful thrifty tidy timely tiny topaz tranquil trusty upbeat urban valiant velvet vivid
wandering warm watchful western whistling willing windy wise witty wooden young zany zesty
"""
FIRST = tuple(FIRST_WORDS.split())
"""What they are like."""

SECOND_WORDS = """
acorn albatross alder alpaca anchor antelope apple apricot armadillo arrow aspen aster badger
bamboo banjo barley basil beacon bear beaver beetle bell birch bison blossom bobcat bongo
boulder bramble breeze bridge brook buffalo bumblebee bunny butterfly button cactus camel candle
canoe canyon caribou carrot castle cedar cello cheetah cherry chestnut chipmunk cicada cliff
clover coconut comet compass condor cookie coyote crane cricket crocus crow crystal curlew
cypress daisy dingo dolphin dove dragon drum duck eagle echo elk ember emu falcon feather fern
ferret fiddle finch firefly fjord flamingo flute forest fountain fox galaxy garden gazelle gecko
geyser giraffe glacier gopher grape grove guitar gull hamster harbour hare harp hawk hazelnut
heather hedgehog heron hibiscus hill holly honey hornet horse ibex iguana impala island ivy
jackal jaguar jasmine jay juniper kangaroo kayak kestrel kettle kingfisher kite kiwi koala
ladybird lagoon lantern lark laurel lavender lemon lemur leopard lichen lily lion lizard llama
lobster lotus lynx macaw magnet magnolia magpie mango maple marigold marmot marten meadow melon
mermaid meteor mongoose monsoon moon moose moth mountain mulberry muskox narwhal nebula newt
nightingale nutmeg oak oasis ocean ocelot octopus onyx opal orca orchard orchid oriole osprey
ostrich otter owl oyster paddle palm panda panther papaya parrot peach peacock pear pebble
pelican penguin peony pepper petunia pheasant piano pigeon pine planet platypus plover plum pony
poplar poppy porcupine prairie puffin pumpkin quail quartz rabbit raccoon radish rainbow raven
reef reindeer rhino river robin rocket rook rose sable saffron sailor salmon sapphire sardine
satellite seahorse seal sequoia shark sheep shell skylark snail sparrow spruce squirrel star
starling stork storm sunflower swallow swan tapir teapot thistle thrush tiger toucan trumpet
tulip tuna turtle unicorn valley vanilla violin volcano walnut walrus warbler waterfall willow
wolf wombat woodpecker wren yak zebra zinnia
"""
SECOND = tuple(SECOND_WORDS.split())
"""Who they are."""
